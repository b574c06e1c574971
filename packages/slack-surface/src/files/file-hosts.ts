import type { DownloadPolicy } from "@acp-kit/router/attachments";

/** Where the platform's own files are, and what of its token may go there. */
export type FileHosts = Pick<
  DownloadPolicy,
  "hosts" | "schemes" | "ports" | "isAddressAllowed" | "sendsTokenToLoopback"
>;

/** Of Slack's own Web API. */
export const SLACK_API_URL = "https://slack.com/api/";

/**
 * The Web API's own host and those below it, over HTTPS. A Web API of this machine has its files on this machine, at the
 * same port. Pure.
 *
 * @param apiUrl - Of the Web API. [Slack's own]
 */
export function fileHostsOf(apiUrl: string = SLACK_API_URL): FileHosts {
  const { hostname, protocol, port } = new URL(apiUrl);
  if (!isLoopbackName(hostname)) return { hosts: [hostname, `*.${hostname}`] };
  const own = protocol === "https:" ? 443 : 80;
  return {
    hosts: ["localhost", "127.0.0.1", "[::1]"],
    schemes: [protocol],
    ports: [port === "" ? own : Number(port)],
    isAddressAllowed: (address) => /^(?:127\.|::1$|::ffff:127\.)/.test(address),
    sendsTokenToLoopback: true,
  };
}

function isLoopbackName(hostname: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
