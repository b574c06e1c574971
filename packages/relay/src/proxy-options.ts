/** What undici's `EnvHttpProxyAgent` takes, complete, so that it looks for nothing in the environment. */
export type ProxyOptions = {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
  readonly proxyTunnel: true;
};

/**
 * Everything goes through a proxy, but what is on this machine. Pure.
 *
 * @param proxy - Tunnels by CONNECT and resolves names itself; a name and a password in it are sent to it. Absent:
 * everything goes directly.
 */
export function proxyOptionsOf(proxy = ""): ProxyOptions {
  const noProxy = "localhost,127.0.0.1,::1";
  return { httpProxy: proxy, httpsProxy: proxy, noProxy, proxyTunnel: true };
}
