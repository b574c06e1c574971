/**
 * Names a file that has to be asked for before it can be fetched, in the place of a URL. It is no secret and nothing
 * that anybody else could fetch.
 */
export type FileAddress = { readonly id: string; readonly isRendition: boolean };

export function formatFileAddress({ id, isRendition }: FileAddress): string {
  return `slack-file:${encodeURIComponent(id)}${isRendition ? "#rendition" : ""}`;
}

/** Nothing for whatever is no such address. */
export function parseFileAddress(url: string): FileAddress | undefined {
  const [, id, rendition] = /^slack-file:(F[A-Z0-9]+)(#rendition)?$/.exec(url) ?? [];
  return id === undefined ? undefined : { id, isRendition: rendition !== undefined };
}

/** The file that a URL of the platform leads to, as in `/files-pri/T0ACME-F0123/download/a.png`. */
export function findFileId(url: string): string | undefined {
  const pathname = URL.parse(url)?.pathname ?? "";
  return /^\/files-[a-z]+\/[A-Z0-9]+-(F[A-Z0-9]+)[-/]/.exec(pathname)?.[1];
}
