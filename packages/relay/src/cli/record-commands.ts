import type { Command } from "commander";
import type { Place, StateRequest } from "./requests.ts";
import { withPlace } from "./with-place.ts";

/** The commands about what happened and who decided it. All of them work while the relay runs, and when it does not. */
export function addRecords(program: Command, take: (request: StateRequest) => void): void {
  withPlace(
    program
      .command("explain")
      .description("Say what became of a message, what failed, and what to change.")
      .argument(
        "<about>",
        "the reference that the chat shows, or the id of a message, conversation or person",
      )
      .option("--json", "as JSON", false),
  ).action((about: string, { json, ...place }: Place & { json: boolean }) =>
    take({ kind: "explain", about, json, place }),
  );
  const audit = program.command("audit").description("Look at what was decided, and by whom.");
  withPlace(
    audit
      .command("verify")
      .description("Look whether the audit log is as it was written.")
      .option("--head <hash>", "what an earlier look gave; that entry must still be there"),
  ).action(({ head, ...place }: Place & { head?: string }) =>
    take({ kind: "audit-verify", head, place }),
  );
  withPlace(
    audit
      .command("list")
      .description("Print the audit log.")
      .option("--json", "as lines of JSON", false),
  ).action(({ json, ...place }: Place & { json: boolean }) =>
    take({ kind: "audit-list", json, place }),
  );
}
