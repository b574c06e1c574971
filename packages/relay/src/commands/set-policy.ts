import { type CommandCall, type CommandOutcome, reply } from "./command-context.ts";
import { POLICIES } from "./policy-book.ts";
import { replies } from "./replies.ts";
import { remaining } from "./show-status.ts";

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };
const MINUTE_MS = 60_000;

/** A policy, and for how long: `allow 30m`. Keyboards make long dashes of short ones. */
const SHAPE = /^([a-z]+(?:[-\u2010-\u2015\s]?only)?)(?:\s+(\d{1,3})\s*(m|min|h|d))?$/i;

/** `!policy`: what happens in this conversation when the agent asks. */
export function setPolicy({ host, message, argument }: CommandCall): CommandOutcome {
  const { policies, log, audit } = host;
  const { conversation, user, at, role } = message;
  const keep = (decision: string) =>
    audit?.append({ who: user, role, conversation, what: "policy", decision, result: "set" });
  const tell = () => {
    const set = policies.get(conversation, at);
    return reply(set ? replies.policy(set.policy, remaining(set.until, at)) : replies.noPolicy());
  };
  if (argument === "") return tell();
  const [, word = "", count, unit] = SHAPE.exec(argument) ?? [];
  const name = word.toLowerCase().replace(/[\u2010-\u2015\s]/g, "-");
  if (name === "default" && count === undefined) {
    policies.set(conversation, undefined);
    keep("default");
    log.info({ decision: "policy", policy: "default" }, "an operator cleared a policy");
    return tell();
  }
  const policy = POLICIES.find((one) => one === name || one.replace("-", "") === name);
  if (!policy) return reply(replies.usage("policy"));
  const ms =
    count === undefined
      ? undefined
      : Number(count) * (UNITS[unit?.toLowerCase() ?? ""] ?? MINUTE_MS);
  if (ms === 0) return reply(replies.usage("policy"));
  policies.set(conversation, { policy, by: user, ...(ms !== undefined && { until: at + ms }) });
  keep(policy);
  log.info({ decision: "policy", policy, ms }, "an operator set a policy");
  return tell();
}
