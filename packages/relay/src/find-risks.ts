import { identityOf, sharesUser } from "./agent-identity.ts";
import { findAgentRisks } from "./agent-risks.ts";
import type { Env } from "./config/secret.ts";
import { isOpenToEverybody } from "./people/access.ts";
import type { Settings } from "./settings.ts";

/** Something that an operator should not forget. */
export type Risk = {
  /** What it is about, by the word for it: `{ bot: "shop" }`. */
  readonly about: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
};

/** @param programs - Of `findAgentPrograms`. */
export async function findRisks(
  settings: Settings,
  programs: ReadonlyMap<string, string>,
  env: Env,
): Promise<readonly Risk[]> {
  if (settings.mode === "demo") return [];
  const risks: Risk[] = [];
  for (const { name, settings: bot } of settings.bots) {
    if (isOpenToEverybody(settings.access, { surface: bot.surface, bot: name })) {
      risks.push({ about: { bot: name }, text: "everybody may talk to this bot" });
    }
  }
  const uid = process.getuid?.();
  for (const [name, agent] of Object.entries(settings.agents)) {
    for (const text of await findAgentRisks(agent, programs.get(name) ?? "", { env, uid })) {
      risks.push({ about: { agent: name }, text });
    }
  }
  const agents = Object.values(settings.agents);
  const isReadable = agents.some((agent) => sharesUser(identityOf(agent), uid));
  if (isReadable && settings.fromEnvironment.length > 0) {
    risks.push({
      about: { settings: settings.fromEnvironment },
      text: "secrets came by the environment, where agents that run as this user can read them; use files",
    });
  }
  return risks;
}
