import type { Display, TurnView } from "@acp-kit/router";
import { showAll } from "../../../../packages/router/test/turn-events.ts";
import { renderer } from "../../src/renderer/renderer.ts";

export {
  end,
  fold,
  numbered,
  showAll,
  showUsual,
  start,
  text,
  thought,
  toolStart,
} from "../../../../packages/router/test/turn-events.ts";

export function bodyOf(view: TurnView, show: Display = showAll): string {
  const { parts } = renderer.render(view, { show, now: 0 });
  if (parts.length !== 1) throw new Error(`A message has one part, not ${parts.length}.`);
  return parts.join("");
}

export function tailOf(view: TurnView, now: number, show: Display = showAll): string | undefined {
  return renderer.render(view, { show, now }).tail;
}
