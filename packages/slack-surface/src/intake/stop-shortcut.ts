/** Names the shortcut on a message that ends what runs in its thread. */
export const STOP_SHORTCUT = "turn-stop";
