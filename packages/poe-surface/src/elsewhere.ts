import { setTimeout } from "node:timers/promises";
import type { ConversationLog, Router } from "@acp-kit/router";
import { readDelivered, type Self } from "./delivery.ts";
import type { ReaderMark } from "./delivery-state.ts";

/** How often a response of another process is looked at, in milliseconds. */
const LOOK_MS = 100;

/**
 * How long the reader of another process has behind the end of its turn to write its last words, in milliseconds; one
 * whose process has died writes nothing more.
 */
const LINGER_MS = 1_000;

/** Where a response looks for those of other processes. */
export type Surroundings = {
  readonly log: ConversationLog;
  readonly router: Router;
  readonly conversation: string;
  readonly self: Self;
};

/** The response of another process, to another message, that reads now or waits for its client to come back. */
export async function findForeignReader(around: Surroundings): Promise<ReaderMark | undefined> {
  const reader = await readForeign(around);
  return reader && (await isOpen(around, reader)) ? reader : undefined;
}

/**
 * Resolves once no response of another process reads before this one, or the signal aborts.
 *
 * @param ignored - Id of one that does not count: this response takes its place.
 */
export async function foreignReaderLeft(
  around: Surroundings,
  ignored: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  let endedAt: number | undefined;
  while (!signal.aborted) {
    const reader = await readForeign(around);
    if (!reader || reader.id === ignored) return;
    if (!(await isOpen(around, reader))) {
      if (reader.phase === "gone") return;
      endedAt ??= performance.now();
      if (performance.now() - endedAt >= LINGER_MS) return;
    }
    await setTimeout(LOOK_MS);
  }
}

async function readForeign({ log, self }: Surroundings): Promise<ReaderMark | undefined> {
  const { reader } = (await readDelivered(log)).state;
  if (!reader || reader.phase === "over" || reader.surface === self.surface) return undefined;
  return reader.key !== "" && reader.key === self.key ? undefined : reader;
}

async function isOpen(
  { router, conversation }: Surroundings,
  { until }: ReaderMark,
): Promise<boolean> {
  const turns = await router.openTurns(conversation);
  return turns.some(({ turn }) => turn === until);
}
