import { expect, test } from "vitest";
import type { ContentBlock } from "../src/index.ts";
import { mapFileLinks } from "../src/map-file-links.ts";

const translate = (path: string) => path.replace("/srv/files", "/files");
const link = (uri: string): ContentBlock => ({ type: "resource_link", name: "a", uri });

test.each<[ContentBlock, ContentBlock]>([
  [link("file:///srv/files/a%20b.txt"), link("file:///files/a%20b.txt")],
  [link("FILE:///srv/files/a"), link("file:///files/a")],
  [link("file:///etc/passwd"), link("file:///etc/passwd")],
  [link("https://x.example/srv/files/a"), link("https://x.example/srv/files/a")],
  [link("file://host/srv/files/a"), link("file://host/srv/files/a")],
  [
    { type: "resource", resource: { uri: "file:///srv/files/a", text: "/srv/files" } },
    { type: "resource", resource: { uri: "file:///files/a", text: "/srv/files" } },
  ],
  [
    { type: "text", text: "file:///srv/files/a" },
    { type: "text", text: "file:///srv/files/a" },
  ],
])("%j reaches an agent that has those files elsewhere as %j", (block, expected) => {
  expect(mapFileLinks([block], translate)).toEqual([expected]);
});
