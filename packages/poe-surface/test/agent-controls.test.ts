import type { Control, ParameterControls } from "@acp-kit/poe-protocol";
import { expect, test } from "vitest";
import { createAgentControls, parseAgentChoices } from "../src/agent-controls.ts";
import { createOptionsPanel } from "../src/options-panel.ts";

const listed = (...ids: readonly string[]) => ids.map((id) => ({ id, name: id.toUpperCase() }));
const offer = {
  modes: listed("ask", "code"),
  currentMode: "code",
  settings: [
    { id: "web.search", name: "Web search", values: [], current: true },
    { id: "Web Search", name: "Other search", values: listed("near", "far"), current: "far" },
    { id: "web_search_2", name: "Third search", values: listed("a", "b") },
    { id: "alone", name: "Alone", values: listed("only") },
    { id: "odd", name: "Odd", values: listed("\ud83d", "") },
    { id: "x".repeat(101), name: "Long", values: [], current: true },
  ],
};
const parameters = ({ sections }: ParameterControls) =>
  sections
    .flatMap(({ controls = [] }): readonly Control[] => controls)
    .flatMap((control) => ("parameter_name" in control ? [control.parameter_name] : []));

test("the panel lists the modes and other settings of the agent, with names that collide told apart", () => {
  const panel = createOptionsPanel({
    ...{ models: [], currentModel: "", pinnedModels: [], config: {} },
    ...offer,
  });
  expect(parameters(panel.controls)).toEqual([
    "mode",
    "thinking",
    "hide_thinking",
    "show_plans",
    "show_tools",
    "show_tool_details",
    "setting_web_search",
    "setting_web_search_3",
    "setting_web_search_2",
  ]);
  const [{ controls = [] } = {}, own] = panel.controls.sections;
  expect(controls[0]).toEqual({
    control: "drop_down",
    label: "Mode",
    parameter_name: "mode",
    default_value: "code",
    options: [
      { value: "ask", name: "ASK" },
      { value: "code", name: "CODE" },
    ],
  });
  expect(own?.name).toBe("Agent");
  expect(own?.controls?.[0]).toEqual({
    control: "toggle_switch",
    label: "Web search",
    parameter_name: "setting_web_search",
    default_value: true,
  });
});

test("without modes and settings, or with one value to choose from, there is no control", () => {
  expect(createAgentControls({}).choices).toEqual([]);
  const { choices } = createAgentControls({ modes: listed("ask"), currentMode: "ask" });
  expect(choices).toEqual([]);
});

test("a message's parameters choose only what is listed, with a value of its kind", () => {
  const { choices } = createAgentControls(offer);
  const parse = (given: unknown) => parseAgentChoices(given, choices);
  expect(parse({ mode: "ask", setting_web_search: false, setting_web_search_3: "near" })).toEqual({
    mode: "ask",
    "web.search": false,
    "Web Search": "near",
  });
  expect(parse({ mode: "bypass", setting_web_search: "yes", setting_web_search_3: true })).toEqual(
    {},
  );
  expect(parse({ setting_alone: "only", web_search_2: "a", model: "m" })).toEqual({});
  expect(parse(Object.create({ mode: "ask" }))).toEqual({});
  for (const odd of [null, undefined, 7, "mode", ["mode"]]) expect(parse(odd)).toEqual({});
});

test("settings are listed up to a bound", () => {
  const settings = Array.from({ length: 40 }, (_, at) => ({
    ...{ id: `s${at}`, name: "S", values: [], current: true },
  }));
  expect(createAgentControls({ settings }).choices).toHaveLength(12);
  const modes = Array.from({ length: 400 }, (_, at) => ({ id: `m${at}`, name: "M" }));
  expect(createAgentControls({ modes }).choices[0]?.values).toHaveLength(200);
});
