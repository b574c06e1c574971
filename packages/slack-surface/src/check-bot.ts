import type { Finding, SlackBot, SlackTransport, SurfaceBot } from "@acp-kit/relay";
import { z } from "zod";
import type { CallResult } from "./budget/call-result.ts";
import { featuresOf } from "./manifest/features-of.ts";
import { listNeeds } from "./manifest/scopes.ts";
import { createSlackCaller } from "./slack-caller.ts";

const testSchema = z.object({
  team: z.string().catch("?"),
  team_id: z.string(),
  user: z.string().catch("?"),
  response_metadata: z.object({ scopes: z.array(z.string()) }).optional(),
});

/** What to do about the platform's words for a token that it does not take. */
const cures: Readonly<Record<string, string>> = {
  invalid_auth: "it is no token of Slack's; copy it again",
  not_authed: "it is no token of Slack's; copy it again",
  account_inactive: "the app was removed from the workspace; install it again",
  token_revoked: "it was revoked; install the app again and copy the new one",
  token_expired: "it has expired; switch token rotation off for the app, and copy a new one",
  not_allowed_token_type: "it is a token of another kind",
  missing_scope: "it has not the scope connections:write; make another that has",
};

/** Asks Slack whether a bot's tokens are good, and good for what the bot is to do. Never rejects. */
export async function checkSlackBot({ settings: bot }: SurfaceBot): Promise<readonly Finding[]> {
  if (bot.surface !== "slack") return [];
  const where = bot.apiUrl === undefined ? {} : { apiUrl: bot.apiUrl };
  const test = await createSlackCaller({ token: bot.botToken, ...where })("auth.test", {});
  return [
    ...checkBotToken(bot, test),
    ...(bot.transport.kind === "socket"
      ? [await checkAppToken(bot.transport, where)]
      : checkSigningSecret(bot.transport.signingSecret)),
  ];
}

/** Slack cannot be asked about it, and says nowhere that its form stays as it is. */
function checkSigningSecret(secret: string): readonly Finding[] {
  if (/^[0-9a-f]{32}$/.test(secret)) return [];
  const text =
    'its signing secret does not have the 32 hexadecimal digits of Slack\'s, so that nothing may be heard; compare it with "Basic Information"';
  return [{ kind: "warning", text }];
}

function checkBotToken(bot: SlackBot, test: CallResult): readonly Finding[] {
  if (test.kind !== "ok") return [refusal("bot token", test)];
  const found = testSchema.safeParse(test.body);
  if (!found.success) return [{ kind: "problem", text: "Slack does not say whose its token is" }];
  const { team, team_id: id, user, response_metadata: metadata } = found.data;
  const who: Finding = { kind: "fine", text: `is ${user} in ${team} (${id})` };
  if (!metadata) return [who, { kind: "warning", text: "Slack does not say its scopes" }];
  const granted = new Set(metadata.scopes);
  const { scopes } = listNeeds(featuresOf(bot));
  const missing = scopes.filter((scope) => !granted.has(scope));
  const needed: ReadonlySet<string> = new Set(scopes);
  const excess = metadata.scopes.filter((scope) => !needed.has(scope));
  const findings: Finding[] = [who];
  if (missing.length > 0) {
    findings.push({
      kind: "problem",
      text: `its app lacks ${missing.join(", ")}; add what "manifest" prints and install the app again, or leave out the features that need it`,
    });
  }
  if (excess.length > 0) {
    findings.push({
      kind: "warning",
      text: `its app has scopes that it does not need: ${excess.join(", ")}`,
    });
  }
  return findings;
}

async function checkAppToken(
  { appToken: token }: Extract<SlackTransport, { kind: "socket" }>,
  where: { readonly apiUrl?: string },
): Promise<Finding> {
  // The address that it gives is never used, and lapses.
  const opened = await createSlackCaller({ token, ...where })("apps.connections.open", {});
  return opened.kind === "ok"
    ? { kind: "fine", text: "may open sockets" }
    : refusal("app token", opened);
}

function refusal(what: string, result: Exclude<CallResult, { kind: "ok" }>): Finding {
  if (result.kind === "limited") {
    return { kind: "warning", text: `Slack was asked too often about its ${what}; try later` };
  }
  if (result.kind === "unknown") {
    return {
      kind: "problem",
      text: `Slack could not be asked about its ${what}; is it reachable?`,
    };
  }
  const cure = cures[result.error] ?? "see the app's pages on Slack";
  return { kind: "problem", text: `Slack refuses its ${what} (${result.error}): ${cure}` };
}
