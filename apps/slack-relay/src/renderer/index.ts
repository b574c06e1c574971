export { cutMrkdwn, MAX_MRKDWN_CODE_POINTS } from "./cut-mrkdwn.ts";
export { renderMarkdown } from "./markdown.ts";
export { type MrkdwnBlock, renderMrkdwn } from "./mrkdwn.ts";
export { renderer } from "./renderer.ts";
