import { z } from "zod";
import { type FieldRule, ruleOf } from "../src/fields.ts";
import {
  type DcodeEvent,
  type EventType,
  eventEnvelopeSchema,
  eventPayloadSchemas,
  formatEvent,
} from "../src/index.ts";
import { catalogue } from "./events.ts";

const INTRODUCTION = `# Events of the dcode protocol

Written by \`pnpm --filter @acp-kit/dcode-protocol catalogue\` from the schemas and \`catalogue/events.ts\`.

Every event travels in the same envelope. \`seq\` counts per session from 1, without a gap in a live log.
An event of a type that is not listed is kept, with its payload as it came, and its seq counts.

**Presence.** _always_: the key is sent. _unless empty_: it is left out when its value is false, 0, an empty
string, an empty list or no object; it then reads as absent, or as the value in brackets. _newer daemons_: the
others leave it out, and it reads as that value. Null reads as absent, in a list as empty. Keys that are not
listed are kept. Where a type names values, these are known, and readers take any other.

**Types.** _integer_: within ±(2^53 - 1). _seq_: the same from 0. _time_: RFC 3339 with up to nine fractional
digits and \`Z\` or an offset; \`0001-01-01T00:00:00Z\` is no time.`;

/** The catalogue as Markdown. */
export function renderCatalogue(): string {
  const entries = Object.keys(catalogue) as EventType[];
  const parts = [
    INTRODUCTION,
    `## The envelope\n\n${renderFields(eventEnvelopeSchema)}`,
    ...entries.map((type, index) => renderEvent(type, index + 1)),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The example of one event in its envelope. */
export function exampleOf(type: EventType, seq: number): DcodeEvent {
  return {
    seq,
    session_id: "19ff0b19e000000abcd",
    type,
    at: "2026-08-11T12:00:00.123456789Z",
    payload: catalogue[type].example,
  };
}

function renderEvent(type: EventType, seq: number): string {
  const { when, notes = [], since } = catalogue[type];
  const schema = eventPayloadSchemas[type];
  const rule = ruleOf(schema);
  const payload = schema instanceof z.ZodObject ? renderFields(schema) : "Payload: any JSON value.";
  return [
    `## \`${type}\``,
    when + (since ? ` Since ${since}.` : ""),
    schema instanceof z.ZodObject ? `Payload \`${rule.label}\`:` : "",
    payload,
    notes.map((note) => `- ${note}`).join("\n"),
    `\`\`\`text\n${formatEvent(exampleOf(type, seq))}\n\`\`\``,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

type Row = [key: string, type: string, presence: string];

function renderFields(schema: z.ZodObject): string {
  const rows: Row[] = [["key", "type", "presence"], ...rowsOf(schema, "")];
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = [width(0), width(1), width(2)];
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  const [head = [], ...body] = lines.map((cells) => `| ${cells.join(" | ")} |`);
  return [head, `| ${widths.map((each) => "-".repeat(each)).join(" | ")} |`, ...body].join("\n");
}

function rowsOf(schema: z.ZodObject, prefix: string): Row[] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const rule = ruleOf(field as z.ZodType);
    const path = `${prefix}${key}`;
    const row: Row = [`\`${path}\``, typeOf(rule), presenceOf(rule, field as z.ZodType)];
    const inner = rule.shape
      ? rowsOf(rule.shape, `${path}${rule.label.endsWith("[]") ? "[]" : ""}.`)
      : [];
    return [row, ...inner];
  });
}

function typeOf(rule: FieldRule): string {
  const names = rule.known?.map((name) => `\`${name}\``).join(" ");
  return names ? `${rule.label}: ${names}` : rule.label;
}

/** What the key reads as when it is not there tells the presence. */
function presenceOf(rule: FieldRule, field: z.ZodType): string {
  const absent = field.safeParse(undefined);
  const value =
    absent.success && absent.data !== undefined ? ` (${JSON.stringify(absent.data)})` : "";
  if (rule.omitEmpty) return `unless empty${value}`;
  return value && rule.label !== "any JSON" ? `newer daemons${value}` : "always";
}
