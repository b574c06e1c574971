import { hashId, type Log } from "../log.ts";

/** What an operator should hear of without looking. */
export type NoticeKind = "crash-loop" | "login-expired" | "disk" | "budget" | (string & {});

export type Notice = {
  readonly kind: NoticeKind;
  /** Tells notices of a kind apart: one is not told again while another one was. Never leaves the relay. */
  readonly about?: string;
  /** One or two sentences for an operator: what is the matter and what to do. No text of people or agents. */
  readonly text: string;
};

/** Brings a notice to an operator; what it throws is logged. */
export type NoticeSink = (notice: { kind: string; text: string; at: number }) => Promise<void>;

export type Notices = AsyncDisposable & {
  /** Never throws, and does not wait. */
  tell(notice: Notice): void;
  /** Another way to operators, such as a direct message of a surface. */
  addSink(sink: NoticeSink): void;
};

/** The same thing is told again after so long, in milliseconds. */
const REPEAT_MS = 6 * 3_600_000;

/** So many notices leave in an hour; the rest is in the log alone. */
const MAX_PER_HOUR = 12;
const HOUR_MS = 3_600_000;
const MAX_KNOWN = 1_000;

/** How long telling may take when the relay ends, in milliseconds. */
const LAST_MS = 5_000;

export function createNotices({
  log,
  now,
}: {
  readonly log: Log;
  readonly now: () => number;
}): Notices {
  const sinks: NoticeSink[] = [];
  const told = new Map<string, number>();
  const open = new Set<Promise<void>>();
  let recent: number[] = [];
  return {
    tell({ kind, about = "", text }) {
      const at = now();
      const name = `${kind}:${hashId(about)}`;
      const before = told.get(name);
      if (before !== undefined && at - before < REPEAT_MS) return;
      told.delete(name);
      told.set(name, at);
      const [oldest] = told.keys();
      if (told.size > MAX_KNOWN && oldest !== undefined) told.delete(oldest);
      recent = recent.filter((one) => at - one < HOUR_MS);
      const isKept = recent.length >= MAX_PER_HOUR;
      log.warn({ notice: kind, ...(isKept && { told: "in the log alone" }) }, text);
      if (isKept) return;
      recent.push(at);
      for (const sink of sinks) {
        const sent: Promise<void> = sink({ kind, text, at })
          .catch((err: unknown) => log.error({ err, notice: kind }, "a notice was not delivered"))
          .finally(() => open.delete(sent));
        open.add(sent);
      }
    },
    addSink: (sink) => void sinks.push(sink),
    async [Symbol.asyncDispose]() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LAST_MS);
      });
      await Promise.race([Promise.all(open), late]);
      clearTimeout(timer);
    },
  };
}
