import { type PoeAccount, pathSegment } from "./account.ts";
import { callPoe, quote } from "./call.ts";
import { PoeProtocolError } from "./errors.ts";
import { isObject, textOr } from "./json.ts";
import { readServerEvents } from "./server-events.ts";

/** One line of what a person pays, in thousandths of a US cent. Fractions are rounded up. */
export type CostItem = {
  readonly amount_usd_milli_cents: number;
  /** For people to read. */
  readonly description?: string;
};

/**
 * Resolves only when the person pays.
 *
 * @throws PoeProtocolError `insufficient-fund` for anything but `success`
 */
export async function requestCost(
  { accessKey, apiUrl, timeouts }: PoeAccount,
  verb: "authorize" | "capture",
  botQueryId: string,
  items: CostItem | readonly CostItem[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const amounts = [items].flat().map(readItem);
  if (amounts.length === 0) throw badCall("there is no amount");
  const call = {
    what: `cost ${verb}`,
    url: new URL(`bot/cost/${pathSegment(botQueryId, "bot_query_id")}/${verb}`, apiUrl),
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ amounts, access_key: accessKey }),
    timeoutMs: timeouts.costMs,
    signal,
    secret: accessKey,
  };
  const status = await callPoe(call, readStatus);
  if (status === "success") return;
  if (status === undefined) {
    throw new PoeProtocolError(`Poe cost ${verb} ended without a result`, { code: "bad-answer" });
  }
  throw new PoeProtocolError(`Poe cost ${verb}: ${quote(status, accessKey)}`, {
    code: "insufficient-fund",
  });
}

/** Poe may leave the stream open behind the result. */
async function readStatus(answer: AsyncIterable<string>): Promise<string | undefined> {
  for await (const { event, data } of readServerEvents(answer)) {
    if (event === "result") return parseStatus(data);
  }
  return undefined;
}

function parseStatus(data: string): string | undefined {
  try {
    const result: unknown = JSON.parse(data);
    return isObject(result) ? textOr(result["status"], undefined) : undefined;
  } catch {
    return undefined;
  }
}

function readItem({ amount_usd_milli_cents: amount, description }: CostItem) {
  const whole = Math.ceil(amount);
  if (!Number.isSafeInteger(whole) || whole < 0) throw badCall(`${amount} is no amount`);
  return { amount_usd_milli_cents: whole, description: description ?? null };
}

function badCall(why: string): PoeProtocolError {
  return new PoeProtocolError(`Poe cost: ${why}`, { code: "bad-call" });
}
