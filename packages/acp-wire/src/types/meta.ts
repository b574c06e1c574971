/** The one place where ACP lets anybody add fields. Keys are namespaced, values are anybody's. */
export type Meta = { [key: string]: unknown };

/**
 * A tagged object whose tag may be one that nobody has defined yet: what ACP may bring next year
 * passes through with all its fields.
 */
export type Open<Tag extends string> = { [key in Tag]: string } & { [key: string]: unknown };
