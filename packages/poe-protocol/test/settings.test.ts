import { describe, expect, it } from "vitest";
import { createSettings, type SettingsOptions, STREAM_HEADERS } from "../src/index.ts";

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
    };
    expect(createSettings(options)).toEqual({ response_version: 2, ...options });
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
