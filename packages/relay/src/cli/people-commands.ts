import type { Role } from "@acp-kit/router";
import { type Command, Option } from "commander";
import type { UsageGroup } from "../people/usage.ts";
import { parseDays, parseName, parseUser } from "./option-parsers.ts";
import type { Place, StateRequest } from "./requests.ts";
import { withPlace } from "./with-place.ts";

/** The commands about people and what they use. All of them work while the relay runs. */
export function addPeople(program: Command, take: (request: StateRequest) => void): void {
  const roles = new Option("--role <role>", "what they may do").choices([
    "user",
    "approver",
    "operator",
  ]);
  withPlace(
    program
      .command("allow")
      .description("Let somebody in, by the id that a refusal tells them.")
      .argument("<user>", "the platform's id of the person", parseUser)
      .addOption(roles.default("user"))
      .option("--bot <name>", "only for this bot", parseName, ""),
  ).action((user: string, { role, bot, ...place }: Place & { role: Role; bot: string }) =>
    take({ kind: "allow", user, role, bot, place }),
  );
  const people = program.command("people").description("Who was let in, or became an operator.");
  withPlace(people.command("list").description("List them.")).action((place: Place) =>
    take({ kind: "people", place }),
  );
  withPlace(
    people
      .command("remove")
      .description("Take back what was given by allow, or by a pairing code.")
      .argument("<user>", "the platform's id of the person", parseUser),
  ).action((user: string, place: Place) => take({ kind: "remove", user, place }));
  withPlace(
    program
      .command("pause")
      .description("Start no turn until resume; what runs goes on.")
      .argument("[reason...]", "what people are told"),
  ).action((reason: readonly string[], place: Place) =>
    take({ kind: "pause", reason: reason.join(" "), place }),
  );
  withPlace(program.command("resume").description("End a pause.")).action((place: Place) =>
    take({ kind: "resume", place }),
  );
  const groups = new Option("--by <what>", "whose use").choices(["user", "project", "model"]);
  withPlace(
    program
      .command("usage")
      .description("What was used: turns, minutes, tokens, cost.")
      .addOption(groups.default("user"))
      .option("--days <days>", "how far back, 1 to 90", parseDays, 30),
  ).action(({ by, days, ...place }: Place & { by: UsageGroup; days: number }) =>
    take({ kind: "usage", group: by, days, place }),
  );
}
