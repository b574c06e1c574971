import { expect, test } from "vitest";
import {
  changedSettings,
  chooseNewest,
  currentSettings,
  permitSetting,
  readSettings,
} from "../src/session-settings.ts";

const select = (id: string, category: string, currentValue: string, values: string[]) => ({
  id,
  name: id,
  category,
  type: "select",
  currentValue,
  options: values.map((value) => ({ value, name: value })),
});

test("a config option of the category model comes before the older call", () => {
  const models = { currentModelId: "old", availableModels: [{ modelId: "old", name: "Old" }] };
  const configOptions = [select("llm", "model", "a", ["a", "b"])];
  expect(readSettings({ configOptions, models }).get("model")).toEqual({
    option: "llm",
    current: "a",
    available: ["a", "b"],
  });
  expect(readSettings({ models }).get("model")).toEqual({
    current: "old",
    available: ["old"],
    names: { old: "Old" },
  });
});

test("settings have the names that people know; others keep the agent's id, groups are flat", () => {
  const grouped = {
    ...select("m", "model", "a", []),
    options: [{ group: "g", name: "G", options: [{ value: "a", name: "A" }] }],
  };
  const settings = readSettings({
    configOptions: [
      grouped,
      select("t", "thought_level", "low", ["low", "high"]),
      { id: "web", name: "Web", type: "boolean", currentValue: true },
      { name: "no id" },
      7,
    ],
    modes: { currentModeId: "plan", availableModes: [{ id: "plan", name: "Plan" }] },
  });
  expect([...settings.keys()]).toEqual(["model", "thinking", "web", "mode"]);
  expect(settings.get("model")?.available).toEqual(["a"]);
  expect(currentSettings(settings)).toEqual({
    model: "a",
    thinking: "low",
    web: true,
    mode: "plan",
  });
  expect(changedSettings({ model: "a", web: false }, { model: "a", web: true })).toEqual({
    web: true,
  });
});

const defaults = { model: "house", thinking: "" };

test.each([
  ["the first message chooses", {}, undefined, { model: "a" }, "a"],
  ["the first message chooses the default", {}, undefined, { model: "house" }, "house"],
  ["an empty value chooses nothing", { model: "a" }, { model: "a" }, { model: "" }, "a"],
  [
    "an unchanged one is older than a command",
    { model: "cmd" },
    { model: "a" },
    { model: "a" },
    "cmd",
  ],
  ["a changed one is newer than a command", { model: "cmd" }, { model: "a" }, { model: "b" }, "b"],
  [
    "somebody's untouched default is no choice",
    { model: "cmd" },
    undefined,
    { model: "house" },
    "cmd",
  ],
  ["somebody's first choice is one", { model: "cmd" }, undefined, { model: "b" }, "b"],
  ["what failed is not asked for again", {}, { model: "a" }, { model: "a" }, undefined],
])("of a command and a parameter the newer one wins: %s", (_, wanted, last, sent, expected) => {
  expect(chooseNewest(wanted, last, sent, defaults)["model"]).toBe(expected);
});

const setting = { current: "a", available: ["a", "b", "c"] };
const open =
  (...values: string[]) =>
  (value: string | boolean) =>
    values.includes(String(value));

test.each([
  ["what is wanted, if it is open", "b", "", open("b"), { kind: "as-wanted", value: "b" }],
  ["nothing wanted leaves it", undefined, "", open("a"), { kind: "as-wanted", value: undefined }],
  [
    "what runs, if the wish is not open",
    "b",
    "",
    open("a", "c"),
    { kind: "instead", value: "a", refused: "b" },
  ],
  ["the default", "b", "c", open("c"), { kind: "instead", value: "c", refused: "b" }],
  [
    "else what it began with",
    "b",
    "",
    open("b2", "c"),
    { kind: "instead", value: "b2", refused: "b" },
  ],
  [
    "else the first offered one",
    undefined,
    "",
    open("c"),
    { kind: "instead", value: "c", refused: "a" },
  ],
  ["else nothing", "b", "z", open("y"), { kind: "nothing" }],
])(
  "a value that is not open to a person is never selected: %s",
  (_, wanted, preset, isOpen, expected) => {
    expect(permitSetting(setting, wanted, preset, "b2", isOpen)).toEqual(expected);
  },
);

test("a switch that may not be on is off", () => {
  const isOpen = (value: string | boolean) => value === false;
  const off = { kind: "instead", value: false, refused: true };
  expect(permitSetting({ current: true, available: [] }, undefined, "", undefined, isOpen)).toEqual(
    off,
  );
});
