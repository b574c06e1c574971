/**
 * The key under `_meta`, in both directions: in `initialize` it says that a side speaks the extension, on a
 * `session/update` it carries mood and plan. Compared exactly; the version is part of the name.
 *
 * @see https://agentclientprotocol.com/protocol/extensibility
 */
export const EXTENSION_ID = "dev.acp-kit.status-line/v1";
