import type { Choice } from "@acp-kit/router";
import { describe, expect, test, vi } from "vitest";
import { createAudit, readAudit } from "../../src/audit/audit.ts";
import { RelayError } from "../../src/errors.ts";
import { temporaryRelayDb } from "../relay-db-of.ts";
import { CONVERSATION, CommandsRig } from "./commands-rig.ts";

vi.setConfig({ testTimeout: 60_000 });

const models = [
  { id: "claude-opus-4-5", name: "Opus 4.5" },
  { id: "claude-sonnet-4-5", name: "Sonnet 4.5" },
  { id: "claude-sonnet-4", name: "Sonnet 4" },
];
const modes = [
  { id: "default", name: "Ask" },
  { id: "plan", name: "Plan" },
];
/** Says which model and mode it runs with; a message with "wait" runs until it is stopped. */
const script = {
  agent: { models, modes },
  prompt: [
    { kind: "text", text: "{{model}}/{{mode}}: {{prompt}}" },
    { kind: "when", says: "wait", steps: [{ kind: "wait" }] },
  ],
};

/** Texts that the agent said, in order. */
async function answers(rig: CommandsRig): Promise<string[]> {
  const log = rig.router.log(CONVERSATION);
  const last = await log.last();
  const texts: string[] = [];
  const cursor = log.follow({ after: 0 });
  while (cursor.seq < last) {
    for (const event of (await cursor.next()) ?? [])
      if (event.kind === "text") texts.push(event.text);
  }
  await cursor[Symbol.asyncDispose]();
  return texts;
}

describe("a command", () => {
  test("that only asks leaves no trace of an empty conversation, and starts no agent", async () => {
    const rig = await CommandsRig.open({ script });
    expect(await rig.say("!status")).toContain("session: the next message starts one");
    for (const text of [
      "!help",
      "!model",
      "!mode",
      "!agent",
      "!queue",
      "!revoke",
      "!retry",
      "!last",
    ]) {
      expect(await rig.say(text)).not.toContain("did not work");
    }
    expect(await rig.say("!new")).toContain("Nothing was said here yet");
    expect(await rig.router.log(CONVERSATION).last()).toBe(0);
    expect(rig.host.agents.get("claude")?.info).toBeUndefined();
    expect(await rig.router.debug()).toEqual([]);
  });

  test("is answered while a turn runs, and does not wait for it", async () => {
    const rig = await CommandsRig.open({ script });
    const turn = await rig.run("wait for me", "text");
    expect(await rig.say("!status")).toContain("now: *wait for me*");
    expect(await rig.say("!model sonnet 4.5")).toContain("claude-sonnet-4-5");
    expect(await rig.router.openTurns(CONVERSATION)).toMatchObject([{ turn, started: true }]);
  });

  test("never reaches the agent", async () => {
    const rig = await CommandsRig.open({ script });
    await rig.run("hello");
    for (const text of [
      "!status",
      "!model opus",
      "!frobnicate",
      "!stauts",
      "!stop now",
      "!get x",
      "!new",
    ]) {
      expect((await rig.outcome(text))?.kind).toMatch(/^(?:reply|show-new)$/);
    }
    await rig.run("again");
    expect(rig.prompted()).not.toMatch(/![a-z]/);
  });

  test("of the surface's, and ordinary text, are left alone", async () => {
    const rig = await CommandsRig.open({ script });
    for (const text of [
      "!stop",
      ".",
      "!yes 1",
      "!no",
      "hello",
      "/unknown",
      "!important read this",
    ]) {
      expect(await rig.outcome(text)).toBeUndefined();
    }
  });

  test("that is not there, or not for this person, says so and does nothing", async () => {
    const rig = await CommandsRig.open({ script });
    expect(await rig.say("!diff")).toBe("`!diff` is not available in this relay.");
    expect(await rig.say("!policy allow")).toBe("`!policy` is not open to you here.");
    const help = await rig.say("!help");
    expect(help).not.toMatch(/!(?:diff|policy|pause|login|pair|project|agent)/);
    expect(help).toContain("!status");
    expect(await rig.say("!help", { role: "operator" })).toMatch(/!policy[\s\S]*|!login/);
  });
});

test("C14: files of a project that is not open to a person are neither shown nor sent, whoever chose it for the conversation", async () => {
  const asked: string[] = [];
  const changes = {
    diff: async () => ({ files: [], isCut: false }),
    lastTurn: async () => ({ files: [], isCut: false }),
  };
  const projects = {
    list: () => [],
    current: () => "infra",
    choose: async () => ({ text: "" }),
  };
  const mayChoose = ({ user, setting, value }: Choice) => {
    asked.push(`${setting} ${value}`);
    return user === "u-op";
  };
  const rig = await CommandsRig.open({ script, host: { changes, projects, mayChoose } });
  await rig.run("hello");
  for (const text of ["!diff", "!diff a.ts", "!files", "!get a.ts"]) {
    expect(await rig.outcome(text)).toEqual({
      kind: "reply",
      text: "The project `infra` is not open to you here.",
      isRefused: true,
    });
  }
  expect([...new Set(asked)]).toEqual(["workspace infra"]);
  expect(await rig.say("!diff", { user: "u-op" })).toBe("Nothing has changed.");
  expect(await rig.say("!files", { user: "u-op" })).toContain("changed no file");
  expect(await rig.outcome("!get a.ts", { user: "u-op" })).toEqual({ kind: "show-new" });
});

describe("a model", () => {
  test("chosen before the first message holds for it, as typed while the agent has not said which it has", async () => {
    const rig = await CommandsRig.open({ script });
    expect(await rig.say("!model claude-sonnet-4")).toContain("will be tried");
    await rig.run("hello");
    expect(await answers(rig)).toEqual(["claude-sonnet-4/default: hello"]);
  });

  test("is found by a part of its name, and told apart from what is ambiguous", async () => {
    const offers = { of: () => ({ models, modes, currentModel: "" }) };
    const rig = await CommandsRig.open({ script, host: { offers } });
    expect(await rig.say("!Model opus")).toContain("`opus` → `claude-opus-4-5` · Opus 4.5");
    expect(await rig.say("!model claude")).toContain("fits 3 models");
    expect(await rig.say("!model llama")).toContain("No model is like `llama`");
    await rig.run("hello");
    expect(await answers(rig)).toEqual(["claude-opus-4-5/default: hello"]);
    expect(await rig.say("!status")).toContain("model: `claude-opus-4-5`, chosen by you");
    expect(await rig.say("!status", { user: "u-bob" })).toContain("chosen by somebody else");
  });

  test("is the agent's own again by default", async () => {
    const rig = await CommandsRig.open({ script });
    await rig.run("one");
    await rig.say("!model sonnet 4.5");
    await rig.run("two");
    expect(await rig.say("!model default")).toContain("The model is the default again");
    await rig.run("three");
    expect(await answers(rig)).toEqual([
      "claude-opus-4-5/default: one",
      "claude-sonnet-4-5/default: two",
      "claude-opus-4-5/default: three",
    ]);
  });

  test("C7: or a mode that a person's rule does not have cannot be chosen by a command", async () => {
    const open = ["claude", "claude-sonnet-4", "default"];
    const mayChoose = ({ value }: { value: string | boolean }) => open.includes(String(value));
    const offers = { of: () => ({ models, modes, currentModel: "" }) };
    const rig = await CommandsRig.open({
      script,
      host: { mayChoose, offers },
      router: { mayChoose },
    });
    expect(await rig.say("!model opus")).toBe(
      "The model `claude-opus-4-5` is not open to you here.",
    );
    expect(await rig.say("!mode plan")).toBe("The mode `plan` is not open to you here.");
    expect(await rig.outcome("!mode plan")).toMatchObject({ isRefused: true });
    expect(rig.lines.filter((line) => line.includes("a choice was refused"))).toHaveLength(3);
    expect(rig.lines.join("")).not.toContain("u-ana");
    expect(await rig.say("!model")).not.toContain("opus");
    expect(await rig.say("!model sonnet")).toContain("claude-sonnet-4");
    await rig.run("hello");
    expect(await answers(rig)).toEqual(["claude-sonnet-4/default: hello"]);
  });
});

test("a mode is chosen by name, and !status says who did", async () => {
  const rig = await CommandsRig.open({ script });
  await rig.run("one");
  expect(await rig.say("!mode PLAN")).toContain("plan");
  expect(await rig.say("!status")).toContain("mode: `plan`, chosen by you, from the next message");
  await rig.run("two");
  expect((await answers(rig)).at(-1)).toBe("claude-opus-4-5/plan: two");
});

describe("!new", () => {
  test("ends what runs and starts afresh; what was chosen stays", async () => {
    const rig = await CommandsRig.open({ script });
    await rig.run("one");
    await rig.say("!model sonnet 4.5");
    const turn = await rig.run("wait", "text");
    expect(await rig.say("!new")).toContain("Afresh");
    expect(await rig.event(turn, "turn-end")).toMatchObject({ outcome: { kind: "cancelled" } });
    await rig.run("three");
    expect((await answers(rig)).at(-1)).toBe("claude-sonnet-4-5/default: three");
    expect(rig.prompted().split("session/new")).toHaveLength(3);
    expect(rig.prompted().slice(rig.prompted().lastIndexOf("session/new"))).not.toContain("one");
  });

  test("does not end somebody else's turn", async () => {
    const roleOf = (user: string) => (user === "u-cy" ? "approver" : "user");
    const rig = await CommandsRig.open({ script, router: { roleOf } });
    const turn = await rig.run("wait", "text", { user: "u-bob" });
    expect(await rig.say("!new")).toContain("belongs to somebody else");
    expect(await rig.router.openTurns(CONVERSATION)).toMatchObject([{ turn }]);
    expect(await rig.say("!new", { user: "u-cy", role: "approver" })).toContain("Afresh");
  });

  test("that comes again ends no later turn", async () => {
    const rig = await CommandsRig.open({ script });
    await rig.run("one");
    const first = await rig.say("!new", { key: "same" });
    const turn = await rig.run("wait", "text");
    expect(await rig.say("!new", { key: "same" })).toBe(first);
    // Another process has no answer of its own to give again.
    const other = await CommandsRig.open({ script, host: { router: rig.router } });
    await other.say("!new", { key: "same" });
    expect(await rig.router.openTurns(CONVERSATION)).toMatchObject([{ turn, started: true }]);
  });
});

describe("!retry", () => {
  test("sends the last message again, whole and with its files, and not the one that asks for it", async () => {
    const rig = await CommandsRig.open({ script });
    await rig.run("hello there");
    const attachments = [
      { url: "https://a.example/f", contentType: "", name: "f", parsedContent: "" },
    ];
    const query = [
      { role: "user", content: "hello there", messageId: "p-hello there", attachments },
      { role: "bot", content: "no", messageId: "b1", attachments: [] },
      { role: "user", content: "!retry", messageId: "r1", attachments: [] },
    ];
    const outcome = { kind: "prompt", text: "hello there", attachments };
    expect(await rig.outcome("!retry", { key: "r1", query })).toEqual(outcome);
  });

  test("says what is in its way", async () => {
    const rig = await CommandsRig.open({ script });
    expect(await rig.say("!retry")).toBe("There is no message to run again.");
    await rig.run("wait", "text", { user: "u-bob" });
    expect(await rig.say("!retry")).toContain("belongs to somebody else");
    expect(await rig.say("!retry", { user: "u-bob" })).toContain("That still runs");
  });
});

test("!last shows the newest turn again once it has ended", async () => {
  const rig = await CommandsRig.open({ script });
  const turn = await rig.run("hello");
  expect(await rig.outcome("!last")).toMatchObject({ kind: "show", turn: { turn, text: "hello" } });
});

describe("!queue", () => {
  test("lists what runs and waits, and drops what is its writer's", async () => {
    const rig = await CommandsRig.open({ script });
    await rig.run("wait *now*", "text");
    const second = await rig.post("second");
    const third = await rig.post("third", { user: "u-bob" });
    expect(await rig.say("!queue")).toBe(
      "Now: *wait now*\n\n1. *second*\n2. *third*\n\n`!queue drop 1` drops one of them.",
    );
    expect(await rig.say("!queue drop 2")).toContain("belongs to somebody else");
    expect(await rig.say("!queue drop 3")).toContain("There is no `3`");
    expect(await rig.say("!queue drop 1", { key: "d" })).toBe("Dropped: 1 message.");
    await rig.event(second, "turn-end");
    const other = await CommandsRig.open({ script, host: { router: rig.router } });
    await other.say("!queue drop 1", { key: "d", user: "u-bob" });
    expect(await rig.router.openTurns(CONVERSATION)).toMatchObject([{}, { turn: third }]);
  });
});

describe("!policy", () => {
  test("is an operator's, for this conversation, until it lapses or is cleared", async () => {
    const rig = await CommandsRig.open({ script });
    const operator = { role: "operator", at: 1_000_000 } as const;
    expect(await rig.say("!policy", operator)).toContain("what is configured holds");
    expect(await rig.say("!policy allow 30m", operator)).toContain("for 30 min more");
    const { policies } = rig.host;
    expect(policies.get(CONVERSATION, 1_000_001)?.policy).toBe("allow");
    expect(policies.get(CONVERSATION, 1_000_000 + 30 * 60_000)).toBeUndefined();
    expect(policies.get("poe/shop/other", 1_000_001)).toBeUndefined();
    expect(await rig.say("!policy read–only", operator)).toContain("until `!policy default`");
    expect(await rig.say("!policy default", operator)).toContain("what is configured holds");
    expect(await rig.say("!policy whatever", operator)).toContain("Write `!policy");
    expect(rig.lines.join("")).toContain("an operator set a policy");
  });

  test("C38: is in the audit log with who set it", async () => {
    const { db } = await temporaryRelayDb();
    const rig = await CommandsRig.open({ script, host: { audit: createAudit(db, Date.now) } });
    await rig.say("!policy allow 30m", { role: "operator", user: "u-op" });
    await rig.say("!policy default", { role: "operator", user: "u-op" });
    await rig.say("!policy", { role: "operator", user: "u-op" });
    await rig.say("!policy allow", { role: "user" });
    expect([...readAudit(db)]).toMatchObject([
      { what: "policy", decision: "allow", role: "operator", user: "u-op" },
      { what: "policy", decision: "default", role: "operator", user: "u-op" },
    ]);
  });

  test("is for nobody else, whatever they are", async () => {
    const rig = await CommandsRig.open({ script });
    for (const role of ["user", "approver"] as const) {
      expect(await rig.say("!policy allow", { role })).toContain("not open to you");
    }
    expect(rig.host.policies.get(CONVERSATION, Date.now())).toBeUndefined();
  });
});

describe("C9: a command of the agent's", () => {
  const offering = {
    ...script,
    session: [
      {
        kind: "update",
        update: {
          sessionUpdate: "available_commands_update",
          availableCommands: [
            { name: "compact", description: "Compacts" },
            { name: "login", description: "Logs in" },
          ],
        },
      },
    ],
  };
  const allowedCommands = () => ["compact", "review"];

  test("is passed on if it is allowed and offered, whatever the sigil and the case of its verb", async () => {
    const rig = await CommandsRig.open({ script: offering, host: { allowedCommands } });
    await rig.run("hello");
    for (const text of ["!compact Keep the tests", "/Compact Keep the tests"]) {
      const passed = { kind: "prompt", text: "/compact Keep the tests", attachments: [] };
      expect(await rig.outcome(text)).toEqual(passed);
    }
    expect(await rig.say("!help")).toContain("- `!compact`");
  });

  test("is not, if the agent does not offer it, or the relay does not allow it", async () => {
    const rig = await CommandsRig.open({ script: offering, host: { allowedCommands } });
    await rig.run("hello");
    expect(await rig.say("!review")).toContain("There is no command `!review`");
    expect(await rig.outcome("/logout")).toBeUndefined();
    expect(await rig.say("!logout")).toContain("Nothing was sent to the agent");
  });
});

test("!status tells the reference of the newest failure", async () => {
  const failing = { prompt: [{ kind: "fail", code: -32603, message: "Out of paper" }] };
  const rig = await CommandsRig.open({ script: failing });
  const turn = await rig.run("print it");
  const end = await rig.event(turn, "turn-end");
  const ref = end.kind === "turn-end" && "ref" in end.outcome ? end.outcome.ref : undefined;
  expect(ref).toEqual(expect.any(String));
  expect(await rig.say("!status")).toContain(`last error: ref ${ref}, `);
});

test("!pause and !cost are whoever keeps people's", async () => {
  const calls: string[] = [];
  const people = {
    pause: undefined as { reason: string } | undefined,
    pauseAll(by: string, reason: string) {
      calls.push(`${by}: ${reason}`);
      people.pause = { reason };
    },
    resumeAll: () => calls.length > 0,
    usageOf: () => ({ turns: 3, minutes: 4, tokens: 0, cost: 0 }),
  };
  const rig = await CommandsRig.open({ script, host: { people } });
  expect(await rig.say("!pause")).toContain("not open to you");
  expect(await rig.say("!pause off", { role: "operator" })).toBe("It was not paused.");
  expect(await rig.say("!pause Back at 5", { role: "operator" })).toContain("Paused");
  expect(calls).toEqual(["u-ana: Back at 5"]);
  expect(await rig.say("!status")).toContain("- paused: nothing starts (Back at 5)");
  people.pause = undefined;
  expect(await rig.say("!status")).not.toContain("paused");
  expect(await rig.say("!pause off", { role: "operator" })).toBe("No longer paused.");
  expect(await rig.say("!cost")).toContain("3 turns");
});

test("C24: of a failure only what is fit for chat is said, and that is", async () => {
  const failures = [
    new Error("/srv/secret is gone"),
    new RelayError("/srv/secret is gone", { code: "workspace", chatText: "The project is gone." }),
  ];
  const changes = { diff: () => Promise.reject(failures.shift()) };
  const rig = await CommandsRig.open({ script, host: { changes } });
  expect(await rig.say("!diff")).toMatch(/^That did not work \(ref \w{4}\)\.$/);
  expect(await rig.say("!diff")).toMatch(/^The project is gone \(ref \w{4}\)\.$/);
});

test("a command that fails says so with a reference that the log has, and may be tried again", async () => {
  let isBroken = true;
  const projects = {
    list: () => {
      if (isBroken) throw new Error("no disk");
      return [{ name: "shop" }, { name: "infra" }];
    },
    current: () => "shop",
    choose: async (_conversation: string, _user: string, name: string) => ({
      text: `Your next message works in \`${name}\`.`,
    }),
  };
  const rig = await CommandsRig.open({ script, host: { projects } });
  const [, reference = ""] = /ref (\w+)/.exec(await rig.say("!project infra", { key: "k" })) ?? [];
  expect(rig.lines.join("")).toContain(`"ref":"${reference}"`);
  isBroken = false;
  expect(await rig.say("!project inf", { key: "k" })).toBe(
    "`inf` → `infra`. Your next message works in `infra`.",
  );
});
