import type { Node } from "oxc-parser";
import { filesIn, lineAt, type Rule } from "./rule.ts";
import { nameOf, parseSource, walk } from "./source.ts";

/** They take an agent's updates. A surface may call its platform's own `update`, and wait for that. */
const takers = /^packages\/(?:router|relay)\/src\/.+\.ts$/;

const updateNeverWaits: Rule = {
  title:
    "an agent's update is taken without waiting, so that no chat platform can hold up the agent",
  find: (files) =>
    filesIn(files, takers).flatMap(([file, text]) => {
      const found: string[] = [];
      walk(parseSource(file, text), (node) => {
        if (!("key" in node) || nameOf(node.key as Node) !== "update") return;
        const value = "value" in node ? (node.value as Node | null) : null;
        const isAsync = value !== null && "async" in value && value.async === true;
        if (isAsync || returnsPromise(node)) found.push(`${file}:${lineAt(text, node.start)}`);
      });
      return found.map((place) => `${place}: an async update`);
    }),
  bad: [
    { "packages/router/src/a.ts": "export const client = { async update() {} };" },
    { "packages/router/src/a.ts": "export const client = { update: async () => {} };" },
    { "packages/router/src/a.ts": "export class Client { async update() {} }" },
    { "packages/router/src/a.ts": "export class Client { update = async () => {}; }" },
    {
      "packages/relay/src/a.ts": "export interface Client { update(u: U): Promise<void> }",
    },
    {
      "packages/relay/src/a.ts": "export type Client = { update: (u: U) => Awaitable<void> };",
    },
  ],
  fine: [
    { "packages/slack-surface/src/a.ts": "export const message = { async update() {} };" },
    { "packages/router/src/a.ts": "export const client = { update() {}, async ask() {} };" },
    { "packages/demo-agent/src/a.ts": "export const session = { async update() {} };" },
    { "packages/relay/src/a.ts": "export interface Client { update(u: U): void }" },
    {
      "packages/relay/src/a.ts": "export type Update = { update: { sessionUpdate: string } };",
    },
  ],
};

/** Whether a member's declared type is a function, or a method, that may give a promise. */
function returnsPromise(member: Node): boolean {
  let found = false;
  walk(member, (node) => {
    if (node.type === "TSTypeReference")
      found ||= /^(Promise|Awaitable)/.test(nameOf(node.typeName));
  });
  return found && (member.type === "TSMethodSignature" || member.type === "TSPropertySignature");
}

export const updateRules: readonly Rule[] = [updateNeverWaits];
