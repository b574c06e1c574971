// What a terminal acts on: string sequences up to their terminator (OSC, DCS, SOS, PM, APC, which may set the clipboard
// or the title), CSI sequences, two-byte escapes. ECMA-48 §5.4, §5.6, §8.3.
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]?|\u001b[\u0020-\u002f]*[\u0030-\u007e]?/g;

// C0 but tab and line feed, DEL, C1; marks that reorder text (Unicode's Bidi_Control) and the two line separators.
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Text of an agent or a person made harmless for a terminal: escape sequences, control characters (but tab and line
 * feed) and marks that reorder what is shown are taken out.
 */
export function formatForTerminal(text: string): string {
  return text.replace(sequences, "").replace(controls, "");
}

/** The same for text inside JSON, where nothing may be lost: the characters are written as `\u` escapes. */
export function escapeInJson(json: string): string {
  return json.replace(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
