import { createPoeDriver, type PoeQuery, type PoeQueryIds } from "@acp-kit/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { KEY } from "./kept-relay.ts";
import { RelayProcess } from "./relay-process.ts";
import { tenTurns, turnNames } from "./ten-turns.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** What Poe shows after each frame. */
function screensOf({ frames }: PoeQuery): string[] {
  let screen = "";
  return frames.flatMap((frame) => {
    if (!("event" in frame)) return [];
    if (frame.event === "text") screen += frame.data.text;
    else if (frame.event === "replace_response") screen = frame.data.text;
    else if (frame.event !== "file") return [];
    return [screen];
  });
}

/** The spinner, as a line of its own. */
const spinner = /^> _.*\.+_$/m;

/** Whether a code block is open at the end. */
function isInCode(text: string): boolean {
  return (text.match(/^ *```/gm) ?? []).length % 2 === 1;
}

describe("ten turns, as Poe shows them after each frame", () => {
  let relay: RelayProcess;

  beforeAll(async () => {
    relay = await RelayProcess.start({
      agent: tenTurns,
      config: {
        bots: {
          usual: { surface: "poe", path: "/poe", accessKeys: [KEY] },
          all: {
            surface: "poe",
            path: "/all",
            accessKeys: [KEY],
            defaults: { hideThinking: false, showToolDetails: true },
          },
        },
        access: [{ users: ["*"], role: "user" }],
      },
    });
  });
  afterAll(() => relay[Symbol.asyncDispose]());

  async function ask(text: string, ids: Partial<PoeQueryIds> = {}): Promise<PoeQuery> {
    const url = new URL(text === "details" ? "/all" : "/poe", relay.url).href;
    const query = createPoeDriver({ url, key: KEY }).query({ text, ...ids });
    await query.done;
    return query;
  }

  async function look(name: string, query: PoeQuery): Promise<void> {
    expect(query.violations).toEqual([]);
    const screens = screensOf(query);
    for (const screen of screens) {
      const at = spinner.exec(screen)?.index;
      if (at !== undefined && isInCode(screen.slice(0, at))) expect(screen).toBe("");
      // What the relay itself writes fits on two lines of a small phone.
      for (const line of screen.match(/^> [`_].*$/gm) ?? []) expect(line.length).toBeLessThan(90);
    }
    const body = screens.at(-1) ?? "";
    expect(body).toBe(query.body());
    expect(body).not.toMatch(spinner);
    expect(isInCode(body)).toBe(false);
    const kept = body.replace(/\(ref \w{4}\)/, "(ref 7F3K)");
    await expect(`${kept}\n`).toMatchFileSnapshot(`golden-turns/${name}.txt`);
  }

  test.each(turnNames)("%s", async (name) => {
    const query = await ask(name);
    await look(name, query);
    if (name !== "question") return;
    const { conversation, userId } = query.ids;
    await look("answered", await ask("1", { conversation, userId }));
  });
});
