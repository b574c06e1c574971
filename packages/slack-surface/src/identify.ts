import { z } from "zod";
import type { SlackCaller } from "./budget/call-result.ts";
import type { SlackIdentity } from "./intake/heard.ts";

const testSchema = z.object({
  ...{ team_id: z.string(), user_id: z.string(), bot_id: z.string() },
  enterprise_id: z.string().min(1).optional().catch(undefined),
});
const botSchema = z.object({ bot: z.object({ app_id: z.string() }) });

/** Who a token's app is; or the platform's word for why it is nobody, `no_answer` when there was none. */
export type Identification =
  | { readonly kind: "known"; readonly identity: SlackIdentity }
  | { readonly kind: "refused"; readonly error: string };

/** Needs the scope `users:read`. Never rejects. */
export async function identify(call: SlackCaller): Promise<Identification> {
  const test = await call("auth.test", {});
  if (test.kind !== "ok") return { kind: "refused", error: wordOf(test) };
  const own = testSchema.safeParse(test.body);
  if (!own.success) return { kind: "refused", error: "not_a_bot_token" };
  const { team_id: team, user_id: botUser, bot_id: botId, enterprise_id: enterprise } = own.data;
  const info = await call("bots.info", { bot: botId });
  if (info.kind !== "ok") return { kind: "refused", error: wordOf(info) };
  const bot = botSchema.safeParse(info.body);
  if (!bot.success) return { kind: "refused", error: "no_answer" };
  const app = bot.data.bot.app_id;
  const identity = { team, botUser, botId, app, ...(enterprise !== undefined && { enterprise }) };
  return { kind: "known", identity };
}

function wordOf(result: Exclude<Awaited<ReturnType<SlackCaller>>, { kind: "ok" }>): string {
  return result.kind === "refused" ? result.error : "no_answer";
}
