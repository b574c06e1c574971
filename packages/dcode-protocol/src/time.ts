import { ProtocolError } from "./error.ts";
import { ErrorCode } from "./names.ts";

/** How the daemon writes "no time": year 1, the zero value of its language. */
export const ZERO_TIME = "0001-01-01T00:00:00Z";

const ZERO_EPOCH_MS = -62_135_596_800_000;

/**
 * A time by its letters, with every field in its range; whether the month has that day is left to
 * {@link isTime}. The first 19 characters have fixed places.
 */
export const TIME_PATTERN = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const TIME = new RegExp(`^${TIME_PATTERN}$`);

/**
 * Whether this is a time as the wire carries it: RFC 3339 with upper-case `T` and `Z`, any number of
 * fractional digits (the daemon writes up to nine), and `Z` or an offset. No leap second.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3339#section-5.6
 */
export function isTime(text: string): boolean {
  return TIME.test(text) && hasItsDay(text);
}

/**
 * Milliseconds since 1970, what is finer cut off; undefined for the zero time, whatever its spelling.
 *
 * @throws ProtocolError `invalid_input` when the text is not a time.
 */
export function parseTime(text: string): number | undefined {
  const { epochMs, fraction } = instantOf(text);
  if (epochMs === ZERO_EPOCH_MS && fraction === "") return undefined;
  return epochMs + Number(fraction.padEnd(3, "0").slice(0, 3));
}

/**
 * Orders two times by instant, to the last digit: negative when `a` is earlier, 0 when they are the
 * same instant. Their texts do not sort: offsets and lengths differ.
 *
 * @throws ProtocolError `invalid_input` when a text is not a time.
 */
export function compareTimes(a: string, b: string): number {
  const left = instantOf(a);
  const right = instantOf(b);
  if (left.epochMs !== right.epochMs) return left.epochMs - right.epochMs;
  // Without trailing zeros, fractions sort as texts.
  if (left.fraction === right.fraction) return 0;
  return left.fraction < right.fraction ? -1 : 1;
}

/** Whether the month of a text of {@link TIME_PATTERN} has that day. */
export function hasItsDay(text: string): boolean {
  const day = text.slice(8, 10);
  return day < "29" || dateOf(text).getUTCDate() === Number(day);
}

/** The whole second in milliseconds since 1970, and the digits of its fraction. */
function instantOf(text: string): { epochMs: number; fraction: string } {
  if (!isTime(text)) {
    throw new ProtocolError(
      ErrorCode.invalidInput,
      `${JSON.stringify(text.slice(0, 40))} is not an RFC 3339 time with a zone`,
    );
  }
  const date = dateOf(text);
  date.setUTCHours(
    Number(text.slice(11, 13)),
    Number(text.slice(14, 16)),
    Number(text.slice(17, 19)),
  );
  const zone = text.endsWith("Z") ? text.length - 1 : text.length - 6;
  const offsetMinutes = Number(text.slice(zone + 1, zone + 3)) * 60 + Number(text.slice(zone + 4));
  return {
    epochMs: date.getTime() - offsetMinutes * (text[zone] === "-" ? -60_000 : 60_000),
    fraction: text.slice(20, zone).replace(/0+$/, ""),
  };
}

/** Midnight of the text's date; a day that the month does not have runs into the next month. */
function dateOf(text: string): Date {
  const date = new Date(0);
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(
    Number(text.slice(0, 4)),
    Number(text.slice(5, 7)) - 1,
    Number(text.slice(8, 10)),
  );
  return date;
}
