import type { RelayApp } from "../../app.ts";
import { botsOn } from "../../bots/choose-bots.ts";
import { readBotsSetting } from "../../config/read-config.ts";
import type { AppRequest } from "../requests.ts";
import type { Streams } from "../streams.ts";

/** @throws RelayError */
export async function runAppCommand(
  app: RelayApp,
  { command, config, options }: AppRequest,
  { stdout }: Streams,
): Promise<void> {
  const bots = config === undefined ? {} : await readBotsSetting(config);
  stdout.write(await command.run(botsOn(app.surfaceName, bots), options));
}
