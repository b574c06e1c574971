import { describe, expect, test } from "vitest";
import { parseInlineScript, parseScript, parseScriptFile } from "../src/parse-script.ts";
import { scenarios } from "../src/scenarios.ts";

const ask = { toolCall: { toolCallId: "a" }, options: [] };

describe("a script", () => {
  test.for(Object.entries(scenarios))("built in as %s survives JSON", ([, script]) => {
    expect(parseScriptFile(JSON.stringify(script))).toEqual(script);
  });

  test("that is only a list of steps has these steps for a prompt", () => {
    const steps = [{ kind: "text", text: "hi" }];
    expect(parseScript(steps)).toEqual({ prompt: steps });
  });

  test("keeps updates of a kind that nobody knows, with all their fields", () => {
    const update = { sessionUpdate: "weather", rain: [1, 2] };
    expect(parseScript([{ kind: "update", update }])).toEqual({
      prompt: [{ kind: "update", update }],
    });
  });

  test.for<[unknown, string]>([
    ["hi", 'script should be an object, not "hi".'],
    [null, "script should be an object, not null."],
    [{}, 'script needs "prompt".'],
    [{ prompt: {} }, "script.prompt should be a list, not {}."],
    [{ prompt: [], promt: [] }, 'script has no field "promt"; it has agent, initialize, session,'],
    [{ prompt: [], ignore: ["sigkill"] }, "script.ignore[0] should be one of eof, sigterm, not"],
    [{ prompt: [], agent: { models: [{ id: 1 }] } }, "script.agent.models[0].id should be text"],
    [["hi"], 'prompt[0] should be an object, not "hi".'],
    [[{}], "prompt[0].kind should be one of text, thought,"],
    [[{ kind: "toString" }], "prompt[0].kind should be one of text, thought,"],
    [[{ kind: "text" }], 'prompt[0] (text) needs "text".'],
    [[{ kind: "text", text: 1 }], "prompt[0] (text).text should be text, not 1."],
    [
      [{ kind: "text", text: "", delay: 1 }],
      'prompt[0] (text) has no field "delay"; it has text, p',
    ],
    [
      [{ kind: "text", text: "", pace: { size: 0, everyMs: 1 } }],
      "pace.size should be a whole numb",
    ],
    [[{ kind: "wait", ms: -1 }], "prompt[0] (wait).ms should be milliseconds from 0 to 2147483647"],
    [[{ kind: "wait", ms: 2 ** 31 }], "prompt[0] (wait).ms should be milliseconds from 0 to"],
    [
      [{ kind: "update", update: {} }],
      "prompt[0] (update).update.sessionUpdate should be text, no",
    ],
    [[{ kind: "ask", ...ask, options: [{}] }], 'prompt[0] (ask).options[0] needs "optionId".'],
    [
      [{ kind: "ask", ...ask, on: { yes: [{}] } }],
      "prompt[0] (ask).on.yes[0].kind should be one of",
    ],
    [
      [{ kind: "when", steps: [{ kind: "exit", code: "x" }] }],
      "(when).steps[0] (exit).code should",
    ],
    [[{ kind: "together", branches: [[], [{}]] }], "(together).branches[1][0].kind should be one"],
    [[{ kind: "flood", lines: 1.5 }], "prompt[0] (flood).lines should be a whole number from 0 on"],
    [[{ kind: "fail", code: 1, message: "m", hint: 1 }], 'prompt[0] (fail) has no field "hint"'],
    [{ prompt: [], initialize: [{ kind: "text", text: "" }] }, "initialize[0] (text) needs a sess"],
    [
      {
        prompt: [],
        initialize: [
          {
            kind: "when",
            steps: [{ kind: "repeat", times: 1, steps: [{ kind: "flood", lines: 1 }] }],
          },
        ],
      },
      "initialize[0].steps[0].steps[0] (flood) needs a session",
    ],
    [
      { prompt: [], initialize: [{ kind: "when", steps: [], otherwise: [{ kind: "status" }] }] },
      "initialize[0].otherwise[0] (status) needs a session",
    ],
    [
      { prompt: [], initialize: [{ kind: "together", branches: [[], [{ kind: "status" }]] }] },
      "initialize[0].branches[1][0] (status) needs a session",
    ],
  ])("%j is refused, and the reason says where and what", ([value, reason]) => {
    expect(() => parseScript(value)).toThrow(reason);
  });

  test("that is no JSON is refused as a script, not with a stack of the parser", () => {
    expect(() => parseScriptFile("{")).toThrow(/^The script is no JSON: /);
  });

  test.for(["initialize", "session", "agent", "ignore"])(
    "in a prompt cannot have %s: that happened before the prompt",
    (field) => {
      const value = field === "agent" ? {} : [];
      expect(() => parseInlineScript(JSON.stringify({ prompt: [], [field]: value }))).toThrow(
        `A script in a prompt has "prompt" and "cancel", not "${field}".`,
      );
    },
  );
});
