import { proxyOptionsOf } from "../proxy-options.ts";

/** What this process fetches from now on goes through a proxy. Absent: directly, as before. */
export async function useProxy(proxy: string | undefined): Promise<void> {
  if (proxy === undefined) return;
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import("undici");
  setGlobalDispatcher(new EnvHttpProxyAgent(proxyOptionsOf(proxy)));
}
