/** What the sources of one folder may import, besides themselves and Node.js. */
export type Arrow = {
  /** Workspace packages, and packages from npm; a `*` at the end stands for any rest. */
  readonly imports: readonly string[];
  /** More that only one export of the package may import: `src/KEY.ts` and `src/KEY/**`. */
  readonly exports?: Readonly<Record<string, readonly string[]>>;
  /** No other package from npm either. Without it, only `bound` packages need an arrow. */
  readonly closed?: true;
  /** No `node:` module either. */
  readonly anyRuntime?: true;
};

/** Needs an arrow everywhere: the workspace's own packages, and the frameworks that shape whoever imports them. */
export const bound = [
  "@acp-kit/*",
  "@agentclientprotocol/sdk",
  "@slack/*",
  "hono",
  "@hono/*",
] as const;

const hono = ["hono", "@hono/*"];
const ours = (...names: string[]) => names.map((name) => `@acp-kit/${name}`);

const packages: Readonly<Record<string, Arrow>> = {
  "packages/statusline": { imports: [], closed: true, anyRuntime: true },
  "packages/acp-wire": {
    imports: [],
    closed: true,
    exports: { schema: ["zod"], sdk: ["@agentclientprotocol/sdk"] },
  },
  "packages/dcode-protocol": { imports: ["zod"], closed: true },
  "packages/dcode-client": { imports: ours("dcode-protocol"), closed: true },
  "packages/poe-protocol": { imports: ["zod"], closed: true },
  "packages/router": {
    imports: ours("acp-wire", "statusline"),
    closed: true,
    exports: { attachments: ["undici", "ipaddr.js", "file-type"] },
  },
  "packages/relay": { imports: [...ours("router", "acp-wire", "statusline"), ...hono] },
  "packages/control": {
    imports: [...ours("router", "relay", "dcode-protocol", "dcode-client"), ...hono],
  },
  "packages/dcode-agent": {
    imports: ours("acp-wire", "dcode-protocol", "dcode-client", "statusline"),
  },
  "packages/poe-surface": {
    imports: [...ours("router", "relay", "poe-protocol", "statusline"), ...hono],
  },
  "packages/slack-surface": {
    imports: [...ours("router", "relay", "statusline"), ...hono, "@slack/*"],
  },
  "packages/demo-agent": { imports: ours("acp-wire", "statusline") },
  "packages/testkit": {
    imports: [
      ...ours("demo-agent", "acp-wire", "poe-protocol", "dcode-protocol", "statusline"),
      ...hono,
    ],
  },
};

const everyPackage = Object.keys(packages).map((folder) =>
  folder.replace("packages/", "@acp-kit/"),
);

/** Who may import whom, by folder. A folder without a row may not exist. */
export const arrows: Readonly<Record<string, Arrow>> = {
  ...packages,
  "apps/poe-relay": { imports: everyPackage },
  "apps/slack-relay": { imports: everyPackage },
};

/** Whether a package's name is one of the patterns, which may end in `*`. */
export function isOneOf(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
