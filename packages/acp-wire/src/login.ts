/** One step of a login that a person finishes in a browser. */
export type LoginStep =
  | { readonly kind: "start" }
  /** The address to which the browser was sent in the end, pasted by the person. */
  | { readonly kind: "submit"; readonly id: string; readonly redirect: string }
  | { readonly kind: "cancel"; readonly id: string };

/** Where a login stands. `unknown`: the agent does not say; it may have logged in by itself. */
export interface LoginState {
  readonly state: "needs_redirect" | "ok" | "cancelled" | "unknown";
  /** Names the login in the next step. */
  readonly id: string;
  /** What the person is to open. */
  readonly url: string;
  /** What the agent wants them to know. */
  readonly instructions: string;
}

const STATES = ["needs_redirect", "ok", "cancelled"] as const;

/** The `_meta` of `authenticate` for a step; agents that do not know it just log in. */
export function loginMeta(step: LoginStep): { auth: object } {
  const auth = { interactive: true };
  if (step.kind === "submit") return { auth: { ...auth, id: step.id, redirect: step.redirect } };
  if (step.kind === "cancel") return { auth: { ...auth, id: step.id, cancel: true } };
  return { auth };
}

/** What an answer to `authenticate` says about the login. */
export function parseLoginState(result: unknown): LoginState {
  const meta = member(result, "_meta");
  const auth = member(meta, "auth");
  const text = (name: string) => {
    const value = member(auth, name);
    return typeof value === "string" ? value : "";
  };
  const state = STATES.find((known) => known === text("state")) ?? "unknown";
  return { state, id: text("id"), url: text("url"), instructions: text("instructions") };
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as { [key: string]: unknown })[name]
    : undefined;
}
