/** Beginnings of files, each written by hand from its format's description. */
export const samples = {
  png: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
  jpeg: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]),
  gif: Buffer.from("GIF89a\x01\0\x01\0\0\0\0;", "latin1"),
  pdf: Buffer.from("%PDF-1.7\n%\xff\xff\n", "latin1"),
  mp3: Buffer.from("ID3\x04\0\0\0\0\0\x0a\0\0\0\0\0\0\0\0\0\0\xff\xfb\x90\x00", "latin1"),
  // An archive with nothing in it: only the record of its end.
  zip: Buffer.from(`PK\x05\x06${"\0".repeat(18)}`, "latin1"),
  svg: Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
  text: Buffer.from("one,two\nÄ,🏛️\n"),
  noise: Buffer.from([0, 1, 2, 3, 0xfe, 0x9c, 0x13, 7]),
  empty: Buffer.alloc(0),
} as const;
