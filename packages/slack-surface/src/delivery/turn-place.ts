import { z } from "zod";
import { nothingPublished, type PublishedState } from "../publish/publication.ts";

/** How far one turn is shown. */
export type TurnPlace = {
  readonly turn: string;
  /** Stretches of it that are shown whole. */
  readonly done: number;
  /** How far the next one is. */
  readonly published: PublishedState;
  /** The platform's id of the file that ends the next stretch: it may be shown. */
  readonly upload?: string;
  /** The same of the rest of a long text; empty where that is shown in messages all the same. */
  readonly rest?: string;
  /** It is shown in streams: what has cards there has no lines in its text. */
  readonly isStream?: true;
  /** The message that says that it is over was to be posted: it may be there. */
  readonly isTelling?: true;
};

const flag = z.literal(true).exactOptional();
const count = z.number().exactOptional();

const placeSchema = z.object({
  turn: z.string(),
  done: z.number(),
  published: z.object({
    sealed: z.array(z.object({ ts: z.string(), to: z.number() })),
    open: z
      .object({
        ts: z.string(),
        from: z.number(),
        to: z.number(),
        body: z.string(),
        tail: z.string(),
        isFrozen: flag,
      })
      .optional(),
    posting: count,
    starting: flag,
    stream: z
      .object({
        ts: z.string(),
        from: z.number(),
        to: z.number(),
        isDoubtful: flag,
        isClosed: flag,
        blocks: count,
        startedAt: z.number(),
        touchedAt: z.number(),
      })
      .exactOptional(),
  }),
  upload: z.string().exactOptional(),
  rest: z.string().exactOptional(),
  isStream: flag,
  isTelling: flag,
});

/** Of a turn of which nothing is shown. */
export function startOf(turn: string): TurnPlace {
  return { turn, done: 0, published: nothingPublished };
}

/** By turn, from what was kept of a conversation; of what is unreadable nothing is known. Pure, never throws. */
export function parseTurnPlaces(text: string | undefined): ReadonlyMap<string, TurnPlace> {
  const kept = [parseJson(text ?? "")].flat();
  return new Map(
    kept.flatMap((each): [string, TurnPlace][] => {
      const parsed = placeSchema.safeParse(each);
      if (!parsed.success) return [];
      const { published, ...place } = parsed.data;
      return [[place.turn, { ...place, published: { ...published, open: published.open } }]];
    }),
  );
}

/**
 * As they are kept. Texts are not: the last sealed message says where the next begins, and an open one is edited once
 * more, whatever it shows. Pure.
 */
export function formatTurnPlaces(places: Iterable<TurnPlace>): string {
  return JSON.stringify([...places].map(reduce));
}

function reduce({ published, ...place }: TurnPlace): TurnPlace {
  const { sealed, open, ...rest } = published;
  const reduced: PublishedState = {
    ...rest,
    sealed: sealed.slice(-1),
    open: open && { ...open, body: "", tail: open.tail === "" ? "" : "…" },
  };
  return { ...place, published: reduced };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
