import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createCertificate } from "../src/index.ts";

test("a certificate is for the loopback, valid now, signed by its own key", () => {
  const certificate = createCertificate();
  const read = new X509Certificate(certificate.cert);
  expect(read.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(read.checkHost("localhost")).toBe("localhost");
  expect(read.checkHost("example.org")).toBeUndefined();
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.validFromDate.getTime()).toBeLessThan(Date.now());
  expect(read.validToDate.getTime()).toBeGreaterThan(Date.now());
});
