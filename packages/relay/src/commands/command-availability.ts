import type { CommandHost, CommandMessage } from "./command-context.ts";
import type { CommandName } from "./command-table.ts";

/** Whether the relay has what a command needs. */
export function isAvailable({ people, projects, changes }: CommandHost, name: CommandName) {
  switch (name) {
    case "project":
      return projects !== undefined;
    case "diff":
      return changes !== undefined;
    case "files":
      return changes?.lastTurn !== undefined;
    case "cost":
    case "pause":
      return people !== undefined;
    default:
      return true;
  }
}

/** Whether a command is worth a line of the help. */
export function isHelpful(
  host: CommandHost,
  message: Pick<CommandMessage, "role">,
  name: CommandName,
): boolean {
  switch (name) {
    case "agent":
      return host.agents.size > 1;
    case "login":
      return host.personalAgent !== undefined || message.role === "operator";
    case "pair":
      // Whoever may ask for help has no need of it.
      return false;
    default:
      return isAvailable(host, name);
  }
}
