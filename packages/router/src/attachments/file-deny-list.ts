/** What is never sent, whoever asks: names of secrets, and of everything below a directory of that name. */
const secretNames = [
  ".git",
  ".env*",
  ".envrc",
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gcloud",
  ".config/gh",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".htpasswd",
  ".git-credentials",
  ".vault-token",
  ".terraform",
  "*.tfstate",
  "id_rsa*",
  "id_dsa*",
  "id_ecdsa*",
  "id_ed25519*",
  "*.pem",
  "*.key",
  "*.ppk",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.kdbx",
  "credentials",
  "credentials.json",
  ".credentials.json",
  "service-account*.json",
];

/**
 * A predicate for paths below a root, with `/` between names: whether a path, or a directory on its way, has a name that
 * is never sent. Letter case does not matter.
 *
 * @param patterns - The operator's own: a name or several with `/`, at any depth; `*` stands for anything within a name.
 */
export function createDenyList(patterns: readonly string[] = []): (relative: string) => boolean {
  const expressions = [...secretNames, ...patterns].map(toExpression);
  return (relative) => expressions.some((one) => one.test(relative));
}

function toExpression(pattern: string): RegExp {
  const names = pattern.replaceAll(/^\/+|\/+$/g, "").split("/");
  const parts = names.map((name) => name.split(/\*+/).map(escapePattern).join("[^/]*"));
  return new RegExp(`(?:^|/)${parts.join("/")}(?:/|$)`, "iu");
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
