import { contractScenarios } from "@acp-kit/testkit";
import { afterAll, beforeAll, describe, test } from "vitest";
import { SOON_MS } from "../kept-relay.ts";
import { SlackApp } from "./slack-app.ts";

let app: SlackApp;

beforeAll(async () => {
  app = await SlackApp.start();
}, SOON_MS);

// Fails when a process is left.
afterAll(() => app[Symbol.asyncDispose](), SOON_MS);

describe.concurrent("side by side", () => {
  const scenarios = contractScenarios.filter(({ isAlone }) => !isAlone);
  test.for(scenarios)("$title", { timeout: 3 * SOON_MS }, (scenario) => scenario.run(app));
});

describe("alone", () => {
  const scenarios = contractScenarios.filter(({ isAlone }) => isAlone);
  test.for(scenarios)("$title", { timeout: 3 * SOON_MS }, (scenario) => scenario.run(app));
});
