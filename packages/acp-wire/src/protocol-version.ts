/** The version of ACP that this package speaks, on both sides. */
export const PROTOCOL_VERSION = 1;
