/** Whether a key names a message or a later version of it, whose key goes on behind the message's with `#`. Pure. */
export function isVersionOf(key: string, message: string): boolean {
  return message !== "" && (key === message || key.startsWith(`${message}#`));
}
