import { EXTENSION_ID } from "./extension-id.ts";

/** The `_meta` of capabilities that names the extension and its version. */
export type Advertisement = { [EXTENSION_ID]: { version: 1 } };

/**
 * The `_meta` that says in `initialize` that a side speaks the extension: a relay puts it into
 * `clientCapabilities._meta`, an agent into `agentCapabilities._meta`. Spread it to send other keys along.
 *
 * For people and logs. Neither side should wait for it: agents may always send a status, relays always read one.
 *
 * @returns A new object at each call.
 */
export function advertise(): Advertisement {
  return { [EXTENSION_ID]: { version: 1 } };
}
