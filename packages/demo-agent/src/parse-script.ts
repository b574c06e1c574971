import type { Script, Step, StepKind, StepOf } from "./script.ts";

/** A script that says something that no agent can do; the message tells where and what. */
export class ScriptError extends Error {
  override readonly name = "ScriptError";
}

/** Throws a ScriptError unless `value`, which stands at `at`, is what it should be. */
type Check = (value: unknown, at: string) => void;
/** A check for each field; a key with `?` may be left out. */
type Fields = Readonly<Record<string, Check>>;
/** Every field of a type, with `?` on those that may be left out: so that none is forgotten. */
type FieldsOf<T> = {
  readonly [K in keyof T & string as undefined extends T[K] ? `${K}?` : K]-?: Check;
};

/**
 * Reads a script from JSON. Unknown fields are errors, so that a misspelt one is noticed.
 *
 * @param value - What JSON.parse gave. A list of steps alone stands for a script that has only `prompt`.
 * @returns `value` itself, or the list made into a script.
 * @throws ScriptError naming the place, what is there and what would be right.
 */
export function parseScript(value: unknown): Script {
  if (Array.isArray(value)) {
    steps(value, "prompt");
    return { prompt: value as Step[] };
  }
  fields(scriptFields)(value, "script");
  const script = value as Script;
  refuseSessionSteps(script.initialize ?? [], "initialize");
  return script;
}

/**
 * Reads a script that comes with a prompt: it says what happens in that turn, so it has no more than
 * `prompt` and `cancel`, or it is the list of steps for `prompt`.
 *
 * @throws ScriptError also for what is no JSON
 */
export function parseInlineScript(json: string): Script {
  const script = parseScript(parseJson(json));
  const { prompt, cancel, ...rest } = script;
  const [foreign] = Object.keys(rest);
  if (foreign === undefined) return script;
  throw new ScriptError(`A script in a prompt has "prompt" and "cancel", not "${foreign}".`);
}

/** Reads the text of a script file. @throws ScriptError also for what is no JSON */
export function parseScriptFile(json: string): Script {
  return parseScript(parseJson(json));
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new ScriptError(`The script is no JSON: ${(cause as Error).message}`, { cause });
  }
}

const text: Check = (value, at) => {
  if (typeof value !== "string") fail(at, "text", value);
};
const whole: Check = (value, at) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    fail(at, "a whole number from 0 on", value);
  }
};
const counted: Check = (value, at) => {
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    fail(at, "a whole number from 1 on", value);
  }
};
const duration: Check = (value, at) => {
  // Longer timers fire at once in Node.js.
  if (typeof value !== "number" || !(value >= 0 && value < 2 ** 31)) {
    fail(at, "milliseconds from 0 to 2147483647", value);
  }
};
const integer: Check = (value, at) => {
  if (!Number.isSafeInteger(value)) fail(at, "a whole number", value);
};
const anything: Check = () => {};
const object: Check = (value, at) => {
  if (!isObject(value)) fail(at, "an object", value);
};
/** An object of the protocol: one field must be there, the rest is the author's business. */
function withText(name: string): Check {
  return (value, at) => {
    object(value, at);
    text((value as Record<string, unknown>)[name], `${at}.${name}`);
  };
}

function oneOf(...words: readonly string[]): Check {
  return (value, at) => {
    if (!words.includes(value as string)) fail(at, `one of ${words.join(", ")}`, value);
  };
}

function list(item: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) return fail(at, "a list", value);
    value.forEach((each, index) => {
      item(each, `${at}[${index}]`);
    });
  };
}

function record(item: Check): Check {
  return (value, at) => {
    object(value, at);
    for (const [key, each] of Object.entries(value as object)) item(each, `${at}.${key}`);
  };
}

function fields(known: Fields): Check {
  return (value, at) => {
    object(value, at);
    const given = value as Record<string, unknown>;
    const names = Object.keys(known).map((key) => key.replace("?", ""));
    for (const name of Object.keys(given)) {
      if (names.includes(name)) continue;
      throw new ScriptError(`${at} has no field "${name}"; it has ${names.join(", ")}.`);
    }
    for (const [key, check] of Object.entries(known)) {
      const name = key.replace("?", "");
      if (given[name] !== undefined) check(given[name], `${at}.${name}`);
      else if (!key.endsWith("?")) throw new ScriptError(`${at} needs "${name}".`);
    }
  };
}

const step: Check = (value, at) => {
  object(value, at);
  const { kind, ...rest } = value as { kind?: unknown };
  const known = Object.hasOwn(stepFields, String(kind)) && stepFields[kind as StepKind];
  if (!known) return fail(`${at}.kind`, `one of ${Object.keys(stepFields).join(", ")}`, kind);
  fields(known)(rest, `${at} (${kind})`);
};
const steps = list(step);

const pace = fields({ size: counted, everyMs: duration });
const choice = fields({ id: text, name: text, "description?": text, "_meta?": anything });

const stepFields: { readonly [K in StepKind]: FieldsOf<Omit<StepOf<K>, "kind">> } = {
  text: { text, "pace?": pace },
  thought: { text, "pace?": pace },
  update: { update: withText("sessionUpdate"), "meta?": object },
  status: { "mood?": text, "plan?": text },
  wait: { "ms?": duration },
  ask: {
    toolCall: withText("toolCallId"),
    options: list(fields({ optionId: text, name: text, kind: text, "_meta?": anything })),
    "on?": record(steps),
    "withdrawAfterMs?": duration,
  },
  when: {
    "says?": text,
    "turn?": counted,
    "start?": counted,
    "model?": text,
    "mode?": text,
    steps,
    "otherwise?": steps,
  },
  repeat: { times: whole, steps },
  together: { branches: list(steps) },
  answer: { "stopReason?": text, "result?": object },
  fail: { code: integer, message: text, "data?": anything },
  print: { text, "to?": oneOf("stdout", "stderr") },
  flood: { lines: whole, "bytes?": whole, "perWrite?": counted },
  exit: { "code?": whole, "signal?": text },
  "close-stdout": {},
  "stop-reading": {},
  child: { ms: duration },
};

const scriptFields: FieldsOf<Script> = {
  "agent?": fields({
    "name?": text,
    "protocolVersion?": integer,
    "capabilities?": object,
    "authMethods?": list(anything),
    "models?": list(choice),
    "modelsAs?": oneOf("config-option", "set-model"),
    "modes?": list(choice),
    "configOptions?": list(withText("id")),
  } satisfies FieldsOf<NonNullable<Script["agent"]>>),
  "initialize?": steps,
  "session?": steps,
  prompt: steps,
  "cancel?": steps,
  "ignore?": list(oneOf("eof", "sigterm")),
};

/** Steps that need a session. While `initialize` is open there is none. */
const needSession: ReadonlySet<StepKind> = new Set<StepKind>([
  "text",
  "thought",
  "update",
  "status",
  "ask",
  "flood",
]);

function refuseSessionSteps(list: readonly Step[], at: string): void {
  list.forEach((each, index) => {
    const here = `${at}[${index}]`;
    if (needSession.has(each.kind)) {
      throw new ScriptError(`${here} (${each.kind}) needs a session; "initialize" has none.`);
    }
    if (each.kind === "together") {
      each.branches.forEach((branch, nth) => {
        refuseSessionSteps(branch, `${here}.branches[${nth}]`);
      });
    }
    if (each.kind === "when") refuseSessionSteps(each.otherwise ?? [], `${here}.otherwise`);
    if (each.kind === "when" || each.kind === "repeat") {
      refuseSessionSteps(each.steps, `${here}.steps`);
    }
  });
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fail(at: string, expected: string, value: unknown): never {
  const found = value === undefined ? "nothing" : JSON.stringify(value).slice(0, 60);
  throw new ScriptError(`${at} should be ${expected}, not ${found}.`);
}
