import { InvalidArgumentError } from "commander";
import { NAME } from "../config/schema-parts.ts";
import { MAX_ID_CHARS } from "../people/kept-people.ts";
import { splitWords } from "./split-words.ts";

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  }
  return port;
}

export function parsePath(text: string): string {
  if (!/^\/[A-Za-z0-9_.~/-]*$/.test(text) || text === "/healthz") {
    throw new InvalidArgumentError('A path is like "/poe", and "/healthz" is taken.');
  }
  return text;
}

export function parseAgent(text: string): readonly string[] {
  const words = splitWords(text);
  if (!words) throw new InvalidArgumentError("A quote is not closed.");
  if (!words[0]) throw new InvalidArgumentError("It names no program.");
  return words;
}

export function parseName(text: string): string {
  if (!NAME.test(text)) {
    throw new InvalidArgumentError("A name has letters, digits and . _ - only, at most 64.");
  }
  return text;
}

export function parseDays(text: string): number {
  const days = Number(text);
  if (!/^\d{1,2}$/.test(text) || days < 1 || days > 90) {
    throw new InvalidArgumentError("It is a number of days, 1 to 90.");
  }
  return days;
}

export function parseUser(text: string): string {
  if (text === "" || text.length > MAX_ID_CHARS || /[\p{C}\s]/u.test(text)) {
    throw new InvalidArgumentError("An id has no spaces and at most 200 characters.");
  }
  return text;
}

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds >= 0 && seconds <= 3_600)) {
    throw new InvalidArgumentError("It is a number of seconds, 0 to 3600.");
  }
  return seconds;
}

export function parseSpeed(text: string): number {
  const speed = Number(text);
  if (!(speed > 0 && Number.isFinite(speed))) {
    throw new InvalidArgumentError("A speed is a number above 0.");
  }
  return speed;
}
