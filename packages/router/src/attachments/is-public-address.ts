import ipaddr from "ipaddr.js";

/** The part of IPv6 that is given out to the public; the rest is local, translated or not in use. */
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/**
 * Whether an IP address belongs to the public internet. Anything else is false: private, loopback, link-local, shared,
 * multicast and reserved ranges, an IPv4 address dressed as IPv6 whose own range is one of these, ranges that translate
 * to IPv4 (6to4, Teredo, NAT64), and whatever is no address.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast);
}
