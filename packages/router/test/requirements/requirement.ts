/** The part that has to meet a requirement. */
export type Owner =
  | "router"
  | "acp-wire"
  | "relay"
  | "poe"
  | "slack"
  | "control"
  | "not applicable";

/**
 * Something that went wrong in a relay before this one, or that people miss: said as what must hold here, or as the
 * reason why it cannot happen. Rows of `router` name the tests of this package that show it.
 */
export type Requirement = readonly [
  id: string,
  owner: Owner,
  says: string,
  ...titles: readonly string[],
];
