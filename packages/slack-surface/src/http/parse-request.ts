import { z } from "zod";

/** What a request of the platform is. `event` names an event, the same each time that it comes. */
export type SlackRequest =
  | {
      readonly kind: "envelope";
      readonly type: "events_api" | "interactive" | "slash_commands";
      readonly payload: unknown;
      readonly event?: string;
    }
  | { readonly kind: "challenge"; readonly challenge: string }
  /** It only wants to know whether somebody is there. */
  | { readonly kind: "check" }
  | { readonly kind: "malformed" };

const jsonSchema = z.union([
  z.object({ type: z.literal("url_verification"), challenge: z.string() }),
  z.looseObject({ type: z.literal("event_callback"), event_id: z.string() }),
  z.looseObject({ type: z.literal("app_rate_limited") }),
]);

/** Pure; never throws. */
export function parseSlackRequest(body: string, contentType: string): SlackRequest {
  if (contentType.startsWith("application/x-www-form-urlencoded")) return parseForm(body);
  const value = jsonSchema.safeParse(parseJson(body)).data;
  switch (value?.type) {
    case "url_verification":
      return { kind: "challenge", challenge: value.challenge };
    case "event_callback":
      return {
        kind: "envelope",
        type: "events_api",
        payload: value,
        event: String(value["event_id"]),
      };
    case "app_rate_limited":
      return { kind: "check" };
    default:
      return { kind: "malformed" };
  }
}

function parseForm(body: string): SlackRequest {
  const form = new URLSearchParams(body);
  if (form.get("ssl_check") === "1") return { kind: "check" };
  const payload = form.get("payload");
  if (payload !== null) {
    const value = parseJson(payload);
    return typeof value === "object" && value !== null
      ? { kind: "envelope", type: "interactive", payload: value }
      : { kind: "malformed" };
  }
  if (!form.has("command")) return { kind: "malformed" };
  return { kind: "envelope", type: "slash_commands", payload: Object.fromEntries(form) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
