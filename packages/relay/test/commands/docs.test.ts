import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS, formatUsage } from "../../src/commands/command-table.ts";

const page = join(import.meta.dirname, "../../../../docs/commands.md");

/** A table whose columns line up, as the formatter has it. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  const [head = "", ...body] = rows.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`,
  );
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [head, rule, ...body].join("\n");
}

/** The page about the commands, as the table has it. `vitest -u` writes it anew. */
function formatPage(): string {
  const rows = COMMANDS.map((command) => [
    `\`${formatUsage(command).replaceAll("|", "\\|")}\``,
    command.does.replace(/^\w/, (first) => first.toUpperCase()),
    command.role === "user" ? "everybody" : `${command.role}s`,
    command.aliases.map((alias) => `\`!${alias}\``).join(" "),
  ]);
  return `# Commands in the chat

A message that begins with \`!\` and one of these words is for the relay: the agent never sees it, and neither does a
session that is told later what was said. \`/\` and \`.\` do the same where the platform lets them through. Capitals of a
phone's keyboard, its quotes and its dashes make no difference.

${formatTable([["write", "what it does", "who may", "also"], ...rows])}

Commands do not wait: they are answered while a turn runs, and start none. \`!help\` lists those that are there for you.

A model, mode, agent or project need not be written whole: \`!model opus 4.5\` finds the one that is meant, and where
several fit it lists them and changes nothing. Of a command and the platform's own panel, whatever was changed last holds.

A command of the agent's own, such as \`!compact\`, reaches it if the operator allows it and the agent offers it. Any other
word behind \`/\` reaches the agent as plain text. An unknown word behind \`!\` that stands alone, or is close to one of the
above, is not sent at all.

\`!policy allow 30m\` allows in this chat what the agent asks for, for half an hour; \`!policy default\` ends it. Where
several people write, what runs, fetches or deletes something is asked all the same.

\`!login\` is for operators, unless the agent has a home for each person (\`home\` is \`per-user\`): then everybody logs in for
themselves, and only for themselves. What you paste for it goes to the agent's login and nowhere else: it is in no log, no
transcript that an agent is told, and no file. A login waits 10 minutes.
`;
}

test("the page about commands says what the table says", async () => {
  await expect(formatPage()).toMatchFileSnapshot(page);
});
