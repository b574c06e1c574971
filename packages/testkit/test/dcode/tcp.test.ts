import { tmpdir } from "node:os";
import tls from "node:tls";
import { DcodeClient } from "@acp-kit/dcode-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCertificate, FakeDcode } from "../../src/index.ts";
import { refusal, retry, turn } from "./drive.ts";

const token = "t0k-secret";
const certificate = createCertificate();

describe("over TCP", () => {
  test("a client with the token has a turn, and without the right one gets no further than being told so", async () => {
    await using daemon = await FakeDcode.start({ tcp: { token } });
    const client = new DcodeClient({ url: daemon.url, token });
    const { id } = await client.createSession({ workspace: tmpdir() });
    expect((await turn({ client, id }, "hi")).at(-1)?.type).toBe("turn.completed");
    for (const address of [{ url: daemon.url }, { url: daemon.url, token: "wrong" }]) {
      const stranger = new DcodeClient(address);
      const error = await refusal(stranger.health());
      expect(error).toMatchObject({
        code: "unauthorized",
        message: `${daemon.url} refuses GET /health (401): the token is wrong or missing.`,
      });
      expect(await refusal(stranger.events(id, { retry }).next())).toMatchObject({
        code: "unauthorized",
      });
    }
  });

  test("a daemon that listens again does so at the same port", async () => {
    await using daemon = await FakeDcode.start({ tcp: {} });
    const { url } = daemon;
    await daemon.hide();
    const client = new DcodeClient({ url });
    expect(await refusal(client.health())).toMatchObject({ code: "unreachable" });
    await daemon.show();
    expect(await client.health()).toEqual({ status: "ok" });
  });
});

describe("over TLS", () => {
  test("a certificate that is not trusted is insecure, and nothing is sent to its owner", async () => {
    await using daemon = await FakeDcode.start({ tcp: { token, tls: certificate } });
    const client = new DcodeClient({ url: daemon.url, token });
    const error = (await refusal(client.health())) as Error;
    expect(error).toMatchObject({
      code: "insecure",
      message: expect.stringMatching(/^https:\S+ cannot be called safely \(DEPTH_ZERO_SELF_SIGNED/),
    });
    expect(`${error.message} ${String(error.cause)}`).not.toContain(token);
    expect(await refusal(client.events("s1", { retry }).next())).toMatchObject({
      code: "insecure",
    });
    expect(daemon.requests).toEqual([]);
  });

  test("a server that speaks no TLS is insecure too, and none at all is unreachable", async () => {
    await using daemon = await FakeDcode.start({ tcp: {} });
    const url = daemon.url.replace("http:", "https:");
    const client = new DcodeClient({ url, token });
    expect(await refusal(client.health())).toMatchObject({ code: "insecure" });
    expect(daemon.requests).toEqual([]);
    await daemon.stop();
    expect(await refusal(client.health())).toMatchObject({ code: "unreachable" });
  });

  describe("with a certificate that this process trusts", () => {
    const before = tls.getCACertificates("default");
    beforeAll(() => tls.setDefaultCACertificates([...before, certificate.cert]));
    afterAll(() => tls.setDefaultCACertificates(before));

    test("a client has a turn, and its token counts", async () => {
      await using daemon = await FakeDcode.start({ tcp: { token, tls: certificate } });
      const client = new DcodeClient({ url: daemon.url, token });
      const { id } = await client.createSession({ workspace: tmpdir() });
      expect((await turn({ client, id }, "hi")).at(-1)?.type).toBe("turn.completed");
      expect(await refusal(new DcodeClient({ url: daemon.url }).health())).toMatchObject({
        code: "unauthorized",
      });
    });

    test("a caller that has given up before is aborted, not insecure", async () => {
      await using daemon = await FakeDcode.start({ tcp: { tls: certificate } });
      const client = new DcodeClient({ url: daemon.url });
      const signal = AbortSignal.abort();
      expect(await refusal(client.health({ signal }))).toMatchObject({ code: "aborted" });
    });
  });
});
