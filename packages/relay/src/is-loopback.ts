/** True for hosts that only this machine reaches, as a URL or a setting has them. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || /^(?:::1|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(host);
}
