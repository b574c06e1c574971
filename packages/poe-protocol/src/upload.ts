import type { PoeAccount } from "./account.ts";
import { callPoe, collect, quote } from "./call.ts";
import { PoeProtocolError } from "./errors.ts";
import type { FileEvent } from "./events.ts";
import { isObject, textOr } from "./json.ts";
import { MAX_FILE_BYTES } from "./limits.ts";

/** Bytes with the name that people will see, or a URL that Poe is to fetch itself. */
export type FileToUpload =
  | {
      /** `await openAsBlob(path)` of `node:fs` makes one of a file. All of it is held in memory. */
      readonly file: Blob | Uint8Array;
      readonly name: string;
      /** Left out, Poe finds out by itself. */
      readonly contentType?: string;
    }
  | { readonly url: string; readonly name?: string };

const UNKNOWN_TYPE = "application/octet-stream";

/** @returns the data of the `file` event that shows the file */
export async function uploadFile(
  account: PoeAccount,
  file: FileToUpload,
  signal: AbortSignal | undefined,
): Promise<FileEvent["data"]> {
  const { accessKey, uploadUrl, timeouts } = account;
  const name = file.name ?? ("url" in file ? nameOf(file.url) : "");
  const form = "url" in file ? formOfUrl(file.url, file.name) : await formOfFile(file);
  // As bytes: where a connection fails under a form, Node's `fetch` leaves a rejection behind that
  // nobody can handle, and which ends the process.
  const encoded = new Response(form);
  const type = encoded.headers.get("content-type") ?? "";
  const body = new Uint8Array(await encoded.arrayBuffer());
  const call = {
    what: "upload",
    url: new URL("file_upload_3RD_PARTY_POST", uploadUrl),
    // The bare key, unlike everywhere else.
    headers: { authorization: accessKey, "content-type": type },
    body,
    timeoutMs: timeouts.uploadMs,
    signal,
    secret: accessKey,
  };
  const text = await callPoe(call, collect);
  const answer = parseAnswer(text);
  if (answer === undefined) {
    throw new PoeProtocolError(`Poe upload answered without a URL: ${quote(text, accessKey)}`, {
      code: "bad-answer",
    });
  }
  return { ...answer, name, inline_ref: null };
}

async function formOfFile({
  file,
  name,
  contentType = "",
}: Extract<FileToUpload, { file: unknown }>): Promise<FormData> {
  const size = file instanceof Blob ? file.size : file.byteLength;
  if (name === "") throw badCall("a file needs a name");
  if (size > MAX_FILE_BYTES) {
    throw badCall(`${size} bytes are more than the ${MAX_FILE_BYTES} that Poe takes`);
  }
  const form = new FormData();
  form.append("file", new Blob([await readFile(file)], { type: contentType }), name);
  return form;
}

async function readFile(file: Blob | Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  // The cast: `Blob` wants bytes that no other thread shares, which the type cannot tell.
  if (file instanceof Uint8Array) return file as Uint8Array<ArrayBuffer>;
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (cause) {
    throw new PoeProtocolError("Poe upload: the file cannot be read", { code: "bad-call", cause });
  }
}

function formOfUrl(url: string, name: string | undefined): FormData {
  if (!URL.canParse(url)) throw badCall("the file's URL is none");
  const form = new FormData();
  form.append("download_url", url);
  if (name !== undefined) form.append("download_filename", name);
  return form;
}

function nameOf(url: string): string {
  const last = URL.canParse(url) ? (new URL(url).pathname.split("/").at(-1) ?? "") : "";
  try {
    return decodeURIComponent(last) || "file";
  } catch {
    return last;
  }
}

function parseAnswer(text: string): { url: string; content_type: string } | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(answer)) return undefined;
  const url = textOr(answer["attachment_url"], "");
  return url === "" ? undefined : { url, content_type: textOr(answer["mime_type"], UNKNOWN_TYPE) };
}

function badCall(why: string): PoeProtocolError {
  return new PoeProtocolError(`Poe upload: ${why}`, { code: "bad-call" });
}
