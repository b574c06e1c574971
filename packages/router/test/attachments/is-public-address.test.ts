import { isPublicAddress } from "@acp-kit/router/attachments";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("isPublicAddress", () => {
  it.each([
    ["0.0.0.0", "this host"],
    ["0.1.2.3", "this network"],
    ["10.0.0.1", "private"],
    ["100.64.0.1", "shared by carriers"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["169.254.169.254", "metadata of clouds"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.0.0.8", "protocol assignments"],
    ["192.0.2.1", "documentation"],
    ["192.168.1.1", "private"],
    ["198.18.0.1", "benchmarks"],
    ["198.51.100.1", "documentation"],
    ["203.0.113.1", "documentation"],
    ["224.0.0.1", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "broadcast"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::127.0.0.1", "IPv4-compatible"],
    ["::ffff:127.0.0.1", "loopback dressed as IPv6"],
    ["::ffff:10.0.0.1", "private dressed as IPv6"],
    ["::ffff:a9fe:a9fe", "metadata dressed as IPv6"],
    ["64:ff9b::7f00:1", "translated"],
    ["64:ff9b:1::1", "translated locally"],
    ["100::1", "discard"],
    ["2001::1", "Teredo"],
    ["2001:db8::1", "documentation"],
    ["2002:7f00:1::", "6to4"],
    ["3fff::1", "documentation"],
    ["5f00::1", "segment routing"],
    ["fc00::1", "unique local"],
    ["fd00:ec2::254", "metadata of clouds"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local with a zone"],
    ["fec0::1", "site-local"],
    ["ff02::1", "multicast"],
    ["", "nothing"],
    ["localhost", "a name"],
  ])("%s is not public: %s (C23)", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "::ffff:8.8.8.8"])(
    "%s is public",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it("an IPv4 address dressed as IPv6 is judged as the IPv4 address", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
      }),
    );
  });

  it("any text is answered", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof isPublicAddress(text) === "boolean"));
  });
});
