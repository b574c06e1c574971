/**
 * Something that went wrong in another relay, bot or library on Slack: said as what must hold here, with the titles of
 * the tests that show it. A title is that of a test, not of what stands around it.
 */
export type Report = readonly [
  id: string,
  says: string,
  ...titles: readonly [string, ...(readonly string[])],
];
