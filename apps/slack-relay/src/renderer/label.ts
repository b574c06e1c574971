/** A label as it stands in running text: nothing in it is markup. */
export function escapeLabel(label: string): string {
  return label.replace(/[\\`*_~[\]<>&|!]/g, "\\$&");
}

/** A label as code within a line. There are no escapes inside of it, so its own backticks become apostrophes. */
export function codeLabel(label: string): string {
  return `\`${label.replaceAll("`", "'")}\``;
}

/** Lines as a block quote. */
export function quote(text: string): string {
  return text.replace(/^.*$/gm, (line) => (line.trim() === "" ? ">" : `> ${line}`));
}
