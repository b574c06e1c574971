import type { SlackIdentity } from "../../src/intake/heard.ts";

export const identity: SlackIdentity = {
  team: "T0ACME",
  app: "A0APP",
  botUser: "U0BOT",
  botId: "B0BOT",
};

/** An `event_callback` around an event. */
export function callback(event: object, part: object = {}): unknown {
  return {
    type: "event_callback",
    team_id: "T0ACME",
    api_app_id: "A0APP",
    event_id: "Ev1",
    authorizations: [{ team_id: "T0ACME", user_id: "U0BOT" }],
    event,
    ...part,
  };
}

/** Somebody's message in a channel. */
export function said(text: string, part: object = {}): object {
  return {
    type: "message",
    channel: "C0SHOP",
    channel_type: "channel",
    user: "U0ANA",
    ts: "1700000000.000100",
    text,
    ...part,
  };
}
