import { expect, test } from "vitest";
import { describeHealth, type HealthInput } from "../src/describe-health.ts";

const socket = { bot: "chat", isKnown: true, isHttp: false } as const;

test.each<[Partial<HealthInput>, boolean, string]>([
  [{ sockets: { ready: 2, refused: undefined, others: 0 } }, true, "hears by 2 sockets"],
  [{ sockets: { ready: 1, refused: "invalid_auth", others: 0 } }, true, "hears by 1 socket"],
  [
    { sockets: { ready: 2, refused: undefined, others: 3 } },
    true,
    "hears by 2 sockets; 3 more are somebody else's, who gets a share",
  ],
  [
    { sockets: { ready: 0, refused: undefined, others: 0 } },
    false,
    "hears nothing: no socket stands",
  ],
  [
    { sockets: { ready: 0, refused: "invalid_auth", others: 0 } },
    false,
    "hears nothing: Slack refuses its app token: invalid_auth",
  ],
  [{ isHttp: true }, true, "hears by requests"],
  [
    { isKnown: false },
    false,
    "hears nothing: Slack has not said yet who it is, or refuses its token",
  ],
])("%j is well: %s, and %s", (input, isWell, text) => {
  expect(describeHealth({ ...socket, sockets: undefined, ...input })).toMatchObject({
    ...{ bot: "chat", isWell, text },
  });
});
