/** Longest name of a person, in UTF-16 units: with their id an agent is told no more than 80. */
const MAX_NAME_UNITS = 50;

/**
 * How an agent is told who speaks. The id tells apart people who have given themselves one name; and what is somebody
 * else's is known by it. Pure.
 */
export function formatSpeaker(user: string, name: string | undefined): string {
  return name === undefined || name === "" ? user : `${name.slice(0, MAX_NAME_UNITS)} (${user})`;
}
