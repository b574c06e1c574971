/** What a connection to the platform brings. */
export type SocketEnvelope = {
  readonly kind: string;
  readonly payload: unknown;
  /** How often it was sent before. */
  readonly retry: number;
  /** The first call counts, while the connection is there. Never throws: what is not acknowledged comes again. */
  readonly ack: (answer?: Readonly<Record<string, unknown>>) => void;
};

export type SocketEnd =
  /** The platform wanted it so, as it does every few hours. */
  | { readonly kind: "refresh" }
  /** There are as many as the platform allows: somebody else may be running this app. */
  | { readonly kind: "too-many" }
  /** Nothing came for longer than the platform is ever silent, a ping included. */
  | { readonly kind: "silent" }
  /** The platform does not take the token, or the app has no Socket Mode. */
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "failed"; readonly cause: unknown }
  | { readonly kind: "closed" };

/** One connection. It ends once, for whatever reason, and is not used again. Disposing ends it. */
export type SocketConnection = Disposable & {
  /** Never rejects. */
  readonly ended: Promise<SocketEnd>;
};

/** Opens a connection. Never throws: what fails is how it ended. */
export type OpenSocket = (listener: {
  /** @param connections - How many the app has by now, this one and others' among them, as the platform says. */
  readonly onReady: (connections?: number) => void;
  /** A sign of life, pings included, from the greeting on; before whatever it brings. */
  readonly onSign?: () => void;
  /** The platform is going to end it: another should be there before. */
  readonly onWarning: () => void;
  readonly onEnvelope: (envelope: SocketEnvelope) => void;
}) => SocketConnection;
