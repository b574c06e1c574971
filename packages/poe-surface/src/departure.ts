/**
 * Why a response goes on no more, the strongest first: a newer one took over, somebody wants the abandoned turn
 * stopped, the relay ends, the client is gone, the platform's time is nearly up.
 */
const DEPARTURES = ["superseded", "stopped", "sealed", "gone", "parked"] as const;

export type Departure = (typeof DEPARTURES)[number];

/** The stronger of two reasons; the first one where they are equal. */
export function strongerDeparture(current: Departure | undefined, next: Departure): Departure {
  if (current === undefined) return next;
  return DEPARTURES.indexOf(next) < DEPARTURES.indexOf(current) ? next : current;
}
