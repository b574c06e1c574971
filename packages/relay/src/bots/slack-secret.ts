/** The secrets of a Slack app. */
export type SlackSecret = "botToken" | "appToken" | "signingSecret";

/** Where an operator finds each on the app's pages. */
const places: Readonly<Record<SlackSecret, string>> = {
  botToken: 'the Bot User OAuth Token of "OAuth & Permissions", which begins with "xoxb-"',
  appToken:
    'the app-level token of "Basic Information", which begins with "xapp-" and has connections:write',
  signingSecret: 'the Signing Secret of "Basic Information", which has no prefix',
};

const prefixes: readonly (readonly [prefix: string, what: string, secret?: SlackSecret])[] = [
  ["xoxb-", "a bot token", "botToken"],
  ["xapp-", "an app-level token", "appToken"],
  ["xoxp-", "a person's token"],
  ["xoxe", "a configuration or refresh token"],
  ["xoxc-", "a browser's token"],
];

/** What keeps `value` from being that secret of an app, with the cure; `undefined` when nothing does. Pure. */
export function findSlackSecretProblem(secret: SlackSecret, value: string): string | undefined {
  const cure = `copy ${places[secret]}`;
  // It is sent in a header, or keys a digest of what Slack typed: nobody means a space.
  if (!/^[\u0021-\u007e]+$/.test(value)) {
    return value === ""
      ? `it is empty; ${cure}`
      : `it has a space or another character that no token has; ${cure}`;
  }
  const [, what, kind] = prefixes.find(([prefix]) => value.startsWith(prefix)) ?? [];
  if (what !== undefined && kind !== secret) return `this is ${what}; ${cure}`;
  return secret === "signingSecret" || kind === secret ? undefined : `this is no token; ${cure}`;
}
