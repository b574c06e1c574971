import { isRecord } from "./args.ts";
import { refuse } from "./failure.ts";
import { countChars, SLACK_LIMITS } from "./limits.ts";

export type SlackBlock = Readonly<Record<string, unknown>>;

type Check = (block: SlackBlock, at: string) => void;

const none: Check = () => undefined;

/** What a block of each type may hold. A type without a row is refused. */
const checks: Readonly<Record<string, Check>> = {
  actions: (block, at) => {
    const elements = most(block, "elements", 25, at);
    if (elements.length === 0) invalid(at, "actions needs at least one element");
    checkElements(elements, at);
  },
  alert: none,
  card: none,
  carousel: (block, at) => {
    if (most(block, "elements", 10, at).length === 0) invalid(at, "carousel is empty");
  },
  container: (block, at) => void most(block, "child_blocks", 10, at),
  context: (block, at) => {
    for (const element of most(block, "elements", 10, at)) {
      if (element["type"] !== "image") longest(element, "text", 3_000, at);
    }
  },
  context_actions: (block, at) => checkElements(most(block, "elements", 5, at), at),
  data_table: none,
  divider: none,
  file: none,
  header: (block, at) => {
    const text = record(block["text"]);
    if (text["type"] !== "plain_text") invalid(at, "header takes plain_text");
    longest(text, "text", 150, at, "required");
  },
  image: (block, at) => {
    longest(block, "alt_text", 2_000, at, "required");
    longest(block, "image_url", 3_000, at);
    if (block["image_url"] === undefined && block["slack_file"] === undefined) {
      invalid(at, "image has neither image_url nor slack_file");
    }
  },
  input: (block, at) => longest(record(block["label"]), "text", 2_000, at, "required"),
  markdown: (block, at) => longest(block, "text", SLACK_LIMITS.markdownChars, at, "required"),
  plan: (block, at) => {
    longest(block, "title", 256, at, "required");
    for (const task of most(block, "tasks", SLACK_LIMITS.messageBlocks, at)) checkTask(task, at);
  },
  rich_text: (block, at) => void most(block, "elements", 1_000, at),
  section: (block, at) => {
    const fields = most(block, "fields", 10, at);
    for (const field of fields) longest(field, "text", 2_000, at, "required");
    if (block["text"] === undefined && fields.length === 0) invalid(at, "section has no text");
    if (block["text"] !== undefined) longest(record(block["text"]), "text", 3_000, at, "required");
    if (block["accessory"] !== undefined) checkElements([record(block["accessory"])], at);
  },
  table: (block, at) => {
    const rows = block["rows"];
    if (!Array.isArray(rows) || rows.length > 100) invalid(at, "table takes at most 100 rows");
    if (rows.some((row) => !Array.isArray(row) || row.length > 20)) {
      invalid(at, "table takes at most 20 cells in a row");
    }
  },
  task_card: (block, at) => checkTask(block, at),
  video: none,
};

/** @throws SlackFailure in the platform's words, with the block's place in a sentence. */
export function checkBlocks(
  blocks: readonly SlackBlock[],
  max: number = SLACK_LIMITS.messageBlocks,
): void {
  if (blocks.length > max) refuse("msg_blocks_too_many", `no more than ${max} items allowed`);
  let markdown = 0;
  const ids = new Set<string>();
  for (const [index, block] of blocks.entries()) {
    const at = `/blocks/${index}`;
    const type = String(block["type"]);
    const check = checks[type];
    if (!check) invalid(at, `unsupported block type: ${type}`);
    longest(block, "block_id", 255, at);
    const id = block["block_id"];
    if (typeof id === "string") {
      if (ids.has(id)) invalid(at, `block_id ${id} is there twice`);
      ids.add(id);
    }
    check(block, at);
    if (type === "markdown") markdown += countChars(String(block["text"]));
  }
  if (markdown > SLACK_LIMITS.markdownChars) {
    refuse("msg_blocks_too_long", `markdown blocks hold ${markdown} characters together`);
  }
}

function checkElements(elements: readonly SlackBlock[], at: string): void {
  const ids = new Set<unknown>();
  for (const element of elements) {
    longest(element, "action_id", 255, at);
    if (element["action_id"] !== undefined && ids.has(element["action_id"])) {
      invalid(at, `action_id ${element["action_id"]} is there twice`);
    }
    ids.add(element["action_id"]);
    if (element["type"] !== "button") continue;
    longest(record(element["text"]), "text", 75, at, "required");
    longest(element, "value", 2_000, at);
    const style = element["style"];
    if (style !== undefined && style !== "primary" && style !== "danger") {
      invalid(at, `button has no style ${style}`);
    }
  }
}

function checkTask(task: SlackBlock, at: string): void {
  longest(task, "task_id", 255, at, "required");
  longest(task, "title", SLACK_LIMITS.taskChars, at, "required");
}

function most(block: SlackBlock, field: string, max: number, at: string): readonly SlackBlock[] {
  const list = block[field] ?? [];
  if (!Array.isArray(list) || !list.every(isRecord)) invalid(at, `${field} is no list`);
  if (list.length > max) invalid(at, `${field} takes at most ${max} items`);
  return list;
}

function longest(
  block: SlackBlock,
  field: string,
  max: number,
  at: string,
  presence?: "required",
): void {
  const text = block[field];
  if (text === undefined && presence === undefined) return;
  if (typeof text !== "string") invalid(at, `${field} is no text`);
  if (text === "" && presence) invalid(at, `${field} is empty`);
  if (countChars(text) > max) invalid(at, `${field} must be less than ${max + 1} characters`);
}

function record(value: unknown): SlackBlock {
  return isRecord(value) ? value : {};
}

function invalid(at: string, sentence: string): never {
  refuse("invalid_blocks", `${sentence} [json-pointer:${at}]`);
}
