/** How long ago something was, in words; undefined for what was just now. Pure. @param ms - Its age. */
export function formatAge(ms: number): string | undefined {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return undefined;
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`;
}
