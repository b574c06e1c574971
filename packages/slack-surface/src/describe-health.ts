import type { BotHealth } from "@acp-kit/relay";
import type { SocketHealth } from "./socket/supervisor.ts";

export type HealthInput = {
  readonly bot: string;
  /** The platform has said who it is. */
  readonly isKnown: boolean;
  /** Of a bot with Socket Mode, from when on it is known. */
  readonly sockets: SocketHealth | undefined;
  readonly isHttp: boolean;
};

/** What an operator is told of a bot. Pure. */
export function describeHealth({ bot, isKnown, sockets, isHttp }: HealthInput): BotHealth {
  if (!isKnown) {
    const text = "hears nothing: Slack has not said yet who it is, or refuses its token";
    return { bot, isWell: false, text, ...(isHttp ? {} : { connections: 0 }) };
  }
  if (isHttp || sockets === undefined) return { bot, isWell: true, text: "hears by requests" };
  const { ready, refused, others } = sockets;
  const elsewhere = others > 0 ? `; ${others} more are somebody else's, who gets a share` : "";
  if (ready > 0) {
    const text = `hears by ${ready} ${ready === 1 ? "socket" : "sockets"}${elsewhere}`;
    return { bot, isWell: true, text, connections: ready };
  }
  const why =
    refused === undefined ? "no socket stands" : `Slack refuses its app token: ${refused}`;
  return { bot, isWell: false, text: `hears nothing: ${why}`, connections: 0 };
}
