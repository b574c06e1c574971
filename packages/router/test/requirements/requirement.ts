/** The part that has to meet a requirement; `router/attachments` is the part of this package that moves files, and grows. */
export type Owner =
  | "router"
  | "router/attachments"
  | "acp-wire"
  | "relay"
  | "poe"
  | "slack"
  | "control"
  | "not applicable";

/**
 * Something that went wrong in a relay before this one, or that people miss: said as what must hold here, or as the
 * reason why it cannot happen. Rows of `router` name the tests of this package that show it, those of
 * `router/attachments` the ones that there are.
 */
export type Requirement = readonly [
  id: string,
  owner: Owner,
  says: string,
  ...titles: readonly string[],
];
