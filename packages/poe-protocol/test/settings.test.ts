import { describe, expect, it } from "vitest";
import {
  createParameterControls,
  createSettings,
  type SettingsOptions,
  STREAM_HEADERS,
} from "../src/index.ts";

describe("createSettings", () => {
  it("leaves nothing to Poe's defaults", () => {
    expect(createSettings()).toEqual({
      response_version: 2,
      allow_attachments: true,
      expand_text_attachments: true,
      introduction_message: "",
      enable_image_comprehension: false,
      enable_multi_entity_prompting: false,
      enforce_author_role_alternation: false,
    });
  });

  it("text is not expanded where attachments are off, unless asked for", () => {
    expect(createSettings({ allow_attachments: false }).expand_text_attachments).toBe(false);
    const asked = createSettings({ allow_attachments: false, expand_text_attachments: true });
    expect(asked.expand_text_attachments).toBe(true);
  });

  it("takes every option as it is given", () => {
    const options = {
      allow_attachments: false,
      expand_text_attachments: false,
      introduction_message: "Hi",
      enable_image_comprehension: true,
      enable_multi_entity_prompting: true,
      enforce_author_role_alternation: true,
      server_bot_dependencies: { "GPT-5": 3 },
      rate_card: "[usd_milli_cents=100] per message",
      cost_label: "[usd_milli_cents=100]",
      parameter_controls: createParameterControls([{ controls: [{ control: "divider" }] }]),
    };
    const settings = createSettings(options);
    expect(settings).toEqual({ response_version: 2, ...options });
    expect(createSettings(settings), "its own result is taken").toEqual(settings);
  });

  it.each<[string, object]>([
    ["a setting that Poe does not know", { allow_attachment: true }],
    ["another response version", { response_version: 1 }],
    ["an inherited name", { constructor: true }],
    ["a number for a switch", { allow_attachments: 1 }],
    ["null", { introduction_message: null }],
    ["call counts as a list", { server_bot_dependencies: [1] }],
    ["a call count as text", { server_bot_dependencies: { bot: "1" } }],
    ["a negative call count", { server_bot_dependencies: { bot: -1 } }],
    ["half a character", { introduction_message: "\ud83d" }],
    ["half a character in a name", { server_bot_dependencies: { "\udc00": 1 } }],
    ["controls of another version", { parameter_controls: { api_version: "1", sections: [] } }],
    ["controls without a section", { parameter_controls: { api_version: "2", sections: [] } }],
    ["controls of null", { parameter_controls: null }],
    ["a deprecated setting", { custom_rate_card: "x" }],
    ["a number that JSON cannot hold", { server_bot_dependencies: { bot: 1n } }],
  ])("%s is refused instead of being dropped in silence", (_, options) => {
    expect(() => createSettings(options as SettingsOptions)).toThrow(
      expect.objectContaining({ code: "bad-settings" }),
    );
  });
});

describe("STREAM_HEADERS", () => {
  it("name no hop-by-hop header, and cannot be changed by one of their users", () => {
    expect(Object.keys(STREAM_HEADERS)).toEqual([
      "content-type",
      "cache-control",
      "x-accel-buffering",
    ]);
    expect(STREAM_HEADERS["cache-control"]).toBe("no-store, no-transform");
    expect(Object.isFrozen(STREAM_HEADERS)).toBe(true);
  });
});
