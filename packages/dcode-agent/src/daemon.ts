import { ErrorCode, RpcError } from "@acp-kit/acp-wire";
import { ClientError, type DaemonAddress, DcodeClient } from "@acp-kit/dcode-client";

/** How long looking for a daemon may take, per address, in milliseconds. */
const LOOK_MS = 5_000;

/** The daemon that sessions are opened at: the first of some addresses that answers. */
export class Daemon {
  readonly #addresses: readonly DaemonAddress[];
  /** The one that answered, which later sessions keep to. */
  #found: DcodeClient | undefined;

  /** @throws TypeError for an address that is none. */
  constructor(addresses: readonly DaemonAddress[]) {
    this.#addresses = addresses;
    for (const address of addresses) new DcodeClient(address);
  }

  /** For messages, and to tell the sessions of several daemons apart. */
  get name(): string {
    return this.#addresses.map(nameOf).join(" or ");
  }

  /**
   * A client of the daemon, which speaks our protocol.
   *
   * @throws RpcError with one sentence that says what to do, where there is none
   */
  async connect(): Promise<DcodeClient> {
    if (this.#found !== undefined) return this.#found;
    for (const address of this.#addresses) {
      const client = new DcodeClient(address);
      try {
        await client.checkVersion({ timeoutMs: LOOK_MS });
        this.#found = client;
        return client;
      } catch (error) {
        if (error instanceof ClientError && error.code === "unreachable") continue;
        throw error;
      }
    }
    throw this.absent();
  }

  absent(): RpcError {
    const text = `No dcode daemon listens at ${this.name}; start one with \`dcode serve\`, or name another with --socket or --url.`;
    return new RpcError(ErrorCode.internalError, text, { code: "unreachable" });
  }
}

function nameOf(address: DaemonAddress): string {
  return "socketPath" in address ? address.socketPath : new URL(address.url).origin;
}
