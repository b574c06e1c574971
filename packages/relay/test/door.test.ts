import {
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { McpServerStdio } from "@acp-kit/acp-wire";
import { expect, test } from "vitest";
import { callDoor } from "../src/door/call-door.ts";
import { startDoorRig } from "./door-rig.ts";

/** The environment of a session's tool server, by name. */
function environmentOf(servers: readonly unknown[]): Record<string, string> {
  const [{ env }] = servers as [McpServerStdio];
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

test("an agent finds the tools attach and status and no other", async () => {
  const { ask } = await startDoorRig();
  expect(await ask("tools")).toBe("attach status");
});

test("a file of the workspace is attached to the conversation of the session, under the name that is asked for", async () => {
  const { ask, filesOf, cwd } = await startDoorRig();
  writeFileSync(join(cwd, "note.txt"), "hello");
  expect(await ask('attach {"path":"note.txt","name":"letter.txt"}', "poe/shop/c-7")).toBe(
    "Attached letter.txt to the chat.",
  );
  expect(await filesOf("poe/shop/c-7")).toEqual(["letter.txt"]);
});

test("C34: no path leads out of the workspace, and the answer names none", async () => {
  const { ask, filesOf, cwd, stateDir } = await startDoorRig();
  symlinkSync(join(stateDir, "relay.db"), join(cwd, "link.db"));
  writeFileSync(join(cwd, ".env"), "KEY=1");
  for (const path of ["../state/relay.db", join(stateDir, "relay.db"), "link.db", "/etc/passwd"]) {
    const said = await ask(`attach ${JSON.stringify({ path })}`);
    expect(said).toMatch(/^error: [\w.]+ was not sent: it is outside of the workspace\.$/);
  }
  expect(await ask('attach {"path":".env"}')).toBe(
    "error: .env was not sent: it may hold a secret.",
  );
  expect(await filesOf("poe/shop/c-1")).toEqual([]);
});

test("C34: no tool takes a conversation, neither from the agent nor past its tool server", async () => {
  const { ask, filesOf, cwd, door } = await startDoorRig();
  writeFileSync(join(cwd, "note.txt"), "hello");
  const input = { path: "note.txt", conversation: "poe/shop/c-2" };
  expect(await ask(`attach ${JSON.stringify(input)}`)).toMatch(/^error: .*conversation/s);
  const { ACP_KIT_DOOR_SOCKET: socket = "", ACP_KIT_DOOR_TOKEN: token = "" } = environmentOf(
    door.servers.open("poe/shop/c-1", "tools", false),
  );
  const past = await callDoor({ sockets: [socket], token }, "attach", input);
  expect(past.text).toMatch(/^That is not what attach takes .*conversation/);
  expect(await filesOf("poe/shop/c-1")).toEqual([]);
});

test("status tells what the session is in, and nothing of other conversations", async () => {
  const { ask } = await startDoorRig();
  expect(JSON.parse(await ask("status"))).toEqual({
    agent: "tools",
    project: "shop",
    turn: "running",
    openQuestions: 0,
    waitingMessages: 0,
  });
});

test("C34: set_model is there only when it is configured, and bounded by the rule of who asked", async () => {
  const { ask: without } = await startDoorRig();
  expect(await without('set_model {"model":"opus"}')).toMatch(/^error: .*set_model/);
  const seen: string[] = [];
  const { ask, eventsOf } = await startDoorRig({
    tools: ["status", "set_model"],
    mayChoose: ({ user, setting, value }) => {
      seen.push(`${user} ${setting} ${value}`);
      return value !== "opus";
    },
  });
  expect(await ask('set_model {"model":"opus"}')).toBe(
    "error: Not changed: opus is not open to the person who asked.",
  );
  expect(await ask('set_model {"model":"haiku"}')).toBe("haiku is used from the next turn on.");
  expect(seen).toContain("u-ana model opus");
  const told = JSON.stringify(await eventsOf("poe/shop/c-1"));
  expect(told).toContain('"model":"haiku"');
  expect(told).not.toContain('"model":"opus"');
});

test("C34: a token of nobody is refused, and so is one whose session was closed or reset", async () => {
  const { door, ask, router, db } = await startDoorRig();
  const of = (conversation: string, isNew = true) => {
    const { ACP_KIT_DOOR_SOCKET: socket = "", ACP_KIT_DOOR_TOKEN: token = "" } = environmentOf(
      door.servers.open(conversation, "", isNew),
    );
    return { sockets: [socket], token };
  };
  const first = of("poe/shop/c-1");
  const over = { text: "This session is over: its tools work no more.", isError: true };
  expect(await callDoor({ ...first, token: "x".repeat(43) }, "status", {})).toEqual(over);
  expect(await callDoor({ ...first, token: "" }, "status", {})).toEqual(over);
  expect((await callDoor(first, "status", {})).isError).toBe(false);

  const again = of("poe/shop/c-1", false);
  expect((await callDoor(first, "status", {})).isError).toBe(false);
  door.servers.close("poe/shop/c-1", "");
  expect(await callDoor(first, "status", {})).toEqual(over);
  expect(await callDoor(again, "status", {})).toEqual(over);

  const old = of("poe/shop/c-1");
  const newer = of("poe/shop/c-1");
  expect(await callDoor(old, "status", {})).toEqual(over);
  expect((await callDoor(newer, "status", {})).isError).toBe(false);

  const tokens = () =>
    db.all("SELECT seq FROM door_tokens WHERE conversation = 'poe/shop/c-9'").length;
  expect(await ask("tools", "poe/shop/c-9")).toBe("attach status");
  expect(tokens()).toBe(1);
  await router.submit("poe/shop/c-9", { kind: "reset", key: "r", user: "u-ana", at: Date.now() });
  expect(tokens()).toBe(0);
  expect(await ask("status", "poe/shop/c-9")).toContain('"turn":"running"');
});

test("C34: the token stands in the environment of the tool server alone: not in its argv, and hashed in the database", async () => {
  const { door, stateDir, db } = await startDoorRig();
  const servers = door.servers.open("poe/shop/c-1", "", true);
  const { ACP_KIT_DOOR_TOKEN: token = "" } = environmentOf(servers);
  const [{ args }] = servers as [McpServerStdio];
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(args.join(" ")).not.toContain(token);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  for (const name of readdirSync(stateDir).filter((name) => name.startsWith("relay.db"))) {
    expect(readFileSync(join(stateDir, name)).includes(token)).toBe(false);
  }
});

test("C3: the door's directory and socket are for this user alone, and go with the relay", async () => {
  const { door, stateDir } = await startDoorRig();
  const directory = join(stateDir, "door");
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(lstatSync(join(directory, `${process.pid}.sock`)).mode & 0o777).toBe(0o600);
  await door[Symbol.asyncDispose]();
  expect(readdirSync(directory)).toEqual([]);
  expect(door.servers.open("poe/shop/c-1", "", true)).toEqual([]);
});

test("a call waits for a relay that is away, and is told when it stays away", async () => {
  const { door, stateDir } = await startDoorRig();
  const { ACP_KIT_DOOR_TOKEN: token = "" } = environmentOf(
    door.servers.open("poe/shop/c-1", "", true),
  );
  const away = { sockets: [join(stateDir, "door", "1.sock")], token };
  expect(await callDoor(away, "status", {}, { patienceMs: 250 })).toEqual({
    text: "The relay is not there.",
    isError: true,
  });
});
