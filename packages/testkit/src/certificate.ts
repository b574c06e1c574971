import { generateKeyPairSync, sign } from "node:crypto";

/** A certificate and its key, as PEM. */
export type Certificate = { readonly cert: string; readonly key: string };

/** A day, in milliseconds: it is made for one test. */
const VALID_MS = 86_400_000;

/**
 * A certificate for 127.0.0.1, localhost and further names that signs itself: nobody trusts it until told to.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5280#section-4.1
 */
export function createCertificate(names: readonly string[] = []): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
  const name = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from("testkit")))));
  const alternativeNames = sequence(
    der(0x87, Buffer.from([127, 0, 0, 1])),
    ...["localhost", ...names].map((each) => der(0x82, Buffer.from(each))),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(Date.now() - VALID_MS), utcTime(Date.now() + VALID_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(oid("551d11"), der(0x04, alternativeNames)))),
  );
  // A bit string begins with the number of bits that it does not use.
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const base64 = sequence(body, ecdsaWithSha256, signature).toString("base64");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** A value of the Distinguished Encoding Rules: its tag, its length, its content. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const { length } = Buffer.concat(content);
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), ...content]);
}

const sequence = (...members: readonly Buffer[]) => der(0x30, ...members);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));

function utcTime(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replaceAll(/[-:T]/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
