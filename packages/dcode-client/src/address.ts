import type { RequestOptions } from "node:http";
import path from "node:path";

/** Where a daemon listens. A daemon itself knows no token; servers that speak its protocol over TCP do. */
export type DaemonAddress =
  | { readonly socketPath: string }
  | { readonly url: string; readonly token?: string };

/** An address as requests use it. */
export type Endpoint = {
  /** For messages: the path, or the origin without credentials. */
  readonly name: string;
  readonly secure: boolean;
  /** In front of every path, without a slash at its end. */
  readonly prefix: string;
  readonly options: RequestOptions;
};

/** @throws TypeError when the address is no absolute path and no http(s) URL without credentials. */
export function parseAddress(address: DaemonAddress): Endpoint {
  if ("socketPath" in address) {
    if (!path.isAbsolute(address.socketPath)) {
      throw new TypeError(
        `The daemon's socket must be an absolute path, not "${address.socketPath}".`,
      );
    }
    const options = { socketPath: address.socketPath, headers: { host: "dcode" } };
    return { name: address.socketPath, secure: false, prefix: "", options };
  }
  const url = URL.canParse(address.url) ? new URL(address.url) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new TypeError("The daemon's address must be an http or https URL.");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError(
      "The daemon's URL takes no credentials, query or fragment; pass a token beside it.",
    );
  }
  const { token } = address;
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError("The daemon's token must be printable ASCII without spaces.");
  }
  return {
    name: url.origin,
    secure: url.protocol === "https:",
    prefix: url.pathname.replace(/\/+$/, ""),
    options: {
      // Node's resolver wants an IPv6 address without its brackets.
      hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port,
      headers: {
        host: url.host,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    },
  };
}

/**
 * Where a daemon that was started without a socket of its own may listen, best guess first: what
 * `DCODE_SOCKET` says and nothing else, or the places of releases before and after October 2026.
 *
 * Without `XDG_RUNTIME_DIR` the place that systemd gives it is among them: whoever asks may have been
 * started with a part of the environment only.
 *
 * @param environment - `DCODE_SOCKET`, `XDG_RUNTIME_DIR` and `TMPDIR` are read.
 */
export function socketPaths(
  environment: Readonly<Record<string, string | undefined>>,
  uid: number,
): readonly string[] {
  const chosen = environment["DCODE_SOCKET"];
  if (chosen) return [chosen];
  const runtime = environment["XDG_RUNTIME_DIR"];
  const earlier = runtime
    ? [path.join(runtime, "dcode.sock")]
    : [
        path.join("/run/user", `${uid}`, "dcode.sock"),
        path.join(environment["TMPDIR"] || "/tmp", `dcode-${uid}.sock`),
      ];
  return [...earlier, path.join("/tmp", `dcode-${uid}`, "dcode.sock")];
}
