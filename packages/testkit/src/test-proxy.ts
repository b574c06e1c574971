import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type Certificate, createCertificate } from "./certificate.ts";

/**
 * A proxy on loopback that makes servers of a test the hosts of the world: a tunnel to one of its names ends, over TLS
 * with a certificate that nobody trusts until told to, at that host's server. Anything else it does not know.
 */
export class TestProxy implements AsyncDisposable {
  /** What tunnels were asked for, as in `slack.com:443`, in order. */
  readonly asked: string[] = [];
  readonly #certificate: Certificate;
  readonly #login: string | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /**
   * @param ports - The plain server behind each name.
   * @param login - Name and password that a tunnel needs, as in `ana:secret`.
   */
  static async start(ports: Readonly<Record<string, number>>, login?: string): Promise<TestProxy> {
    const proxy = new TestProxy(ports, login);
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  private constructor(ports: Readonly<Record<string, number>>, login: string | undefined) {
    this.#certificate = createCertificate(Object.keys(ports));
    this.#login = login;
    const needed = login && `Basic ${Buffer.from(login).toString("base64")}`;
    this.#server = createServer();
    this.#server.on("connect", ({ url = "", headers }, client: Socket) => {
      const port = ports[url.replace(/:443$/, "")];
      const isKnown = needed === undefined || headers["proxy-authorization"] === needed;
      this.asked.push(url);
      this.#hold(client);
      if (!isKnown) client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      else if (port === undefined) client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      else this.#open(client, port);
    });
  }

  /** With what a tunnel needs. */
  get url(): string {
    const login = this.#login === undefined ? "" : `${this.#login}@`;
    return `http://${login}127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get cert(): string {
    return this.#certificate.cert;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server.close(), "close");
  }

  #open(client: Socket, port: number): void {
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    const near = this.#hold(new TLSSocket(client, { isServer: true, ...this.#certificate }));
    const far = this.#hold(connect(port, "127.0.0.1"));
    near.pipe(far).pipe(near);
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
  }

  #hold<Kind extends Socket>(socket: Kind): Kind {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    // Either side may go first.
    return socket.on("error", () => undefined);
  }
}
