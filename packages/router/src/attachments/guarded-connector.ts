import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { AttachmentError } from "./errors.ts";
import { isPublicAddress } from "./is-public-address.ts";

/** What decides which addresses are contacted. */
export type AddressGuard = {
  /** Default: the addresses of the public internet. */
  readonly isAddressAllowed?: (address: string) => boolean;
  /** Default: the system's resolver. */
  readonly lookup?: LookupFunction;
};

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens connections to allowed addresses only. The names are resolved here, once, and the socket goes to one of the very
 * addresses that were checked: a name that changes its address between a check and its use gains nothing.
 */
export function createGuardedConnector(guard: AddressGuard): buildConnector.connector {
  const isAllowed = guard.isAddressAllowed ?? isPublicAddress;
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    lookup: createGuardedLookup(guard.lookup ?? lookup, isAllowed),
  });
  return (options, callback) => {
    const literal = options.hostname.replace(/^\[|\]$/g, "");
    // A socket asks no resolver for what is an address already.
    if (isIP(literal) !== 0 && !isAllowed(literal)) {
      callback(refusal(literal), null);
      return;
    }
    connect(options, callback);
  };
}

/** A resolver that fails when any of its answers is an address that may not be contacted. */
export function createGuardedLookup(
  resolve: LookupFunction,
  isAllowed: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, answer, family) => {
      if (error) {
        callback(error, answer, family);
        return;
      }
      const addresses = typeof answer === "string" ? [answer] : answer.map((one) => one.address);
      // A public name that is also at a private address is a trap, not a choice.
      if (addresses.length === 0 || !addresses.every(isAllowed)) callback(refusal(hostname), []);
      else callback(null, answer, family);
    });
  };
}

function refusal(host: string): AttachmentError {
  return new AttachmentError(`The host "${host}" is at an address that may not be contacted.`, {
    code: "address",
  });
}
