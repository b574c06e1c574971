import type { PromptItem } from "../src/index.ts";

export type Prompt = Pick<PromptItem, "user" | "key" | "repeat" | "replaces"> & {
  readonly text: string;
  readonly busy: "queue" | "interrupt" | "steer";
};
type Posted = { readonly name: string; readonly user: string; attempt: number; at: number };
type Place = { versions: string[]; isNext?: boolean; isCorrection?: boolean };
type Course = { promptedAt?: number; hasTool?: boolean; cause?: string | undefined; end?: string };
type Turn = Partial<Prompt> & Posted & Place & Course;

/** What a conversation has to do, one thing at a time, with plain lists. A turn without a text is a reaction. */
export class ConversationModel {
  readonly log: string[] = [];
  readonly received: string[] = [];
  readonly turns = new Map<string | undefined, Turn>();
  readonly keys = new Map<string, { turn: Turn; delivered: boolean }>();
  waiting: Turn[] = [];
  active: Turn | undefined;
  /** Open questions of the active turn. */
  asks = 0;
  isAttached = false;
  takesSteering = true;
  now = 0;

  post(prompts: readonly Prompt[]): string[] {
    const posted = prompts.map((prompt) => this.#post(prompt));
    this.next();
    return posted;
  }
  #post(prompt: Prompt): string {
    const known = this.keys.get(prompt.key);
    const old = this.turns.get(prompt.replaces);
    const { replaces = "-" } = prompt;
    const open = [...(this.active ? [this.active] : []), ...this.turns.values()].find(
      ({ name, key, end }) => !end && (name === replaces || key === prompt.key),
    );
    if (open && !may(prompt.user, open)) return `refused ${open.name}`;
    if (old?.end && old.end !== "cancelled edited") return `late ${old.name}`;
    const isOpen = !known?.delivered && !known?.turn.end?.startsWith("cancelled");
    if (known && (prompt.repeat === "attach" || isOpen)) return `repeat ${known.turn.name}`;
    if (this.waiting.filter(({ text }) => text).length >= 32) return "queue-full";
    const attempt = (known?.turn.attempt ?? 0) + 1;
    const name = `t${this.turns.size + 1}`;
    const turn = { ...prompt, name, attempt, at: this.now, versions: [] };
    this.turns.set(name, turn);
    this.keys.set(prompt.key, { turn, delivered: false });
    this.#accept(turn);
    return `new ${name}`;
  }
  #accept(turn: Turn): void {
    const { active } = this;
    if (turn.replaces && this.#edit(turn, turn.replaces)) return;
    turn.isNext = turn.busy !== "queue" && active !== undefined && may(turn.user, active);
    const isMine = (one: Turn) => one.text !== undefined && one.user === turn.user;
    const old = turn.isNext && turn.busy === "interrupt" ? this.waiting.filter(isMine) : [];
    this.waiting = this.waiting.filter((one) => !old.includes(one));
    this.#enqueue(turn);
    for (const one of old) this.end(one, "cancelled superseded");
    if (!active || !turn.isNext) return;
    if (turn.busy === "interrupt") this.stop(active, "superseded");
    if (turn.busy === "interrupt" || !active.text || active.cause || !this.takesSteering) return;
    this.log.push(`> ${active.name} ${turn.user} ${turn.text}`);
    this.end(turn, "skipped steered");
  }
  #edit(turn: Turn, replaced: string): boolean {
    const isIt = (one: Turn) =>
      [one.name, ...one.versions].includes(replaced) && may(turn.user, one);
    const waits = this.waiting.find(isIt);
    const runs = this.active && isIt(this.active) && !this.active.cause ? this.active : undefined;
    turn.versions = [waits ?? runs ?? []].flat().flatMap((one) => [one.name, ...one.versions]);
    if (waits) {
      turn.isNext = waits.isNext ?? false;
      turn.isCorrection = waits.isCorrection ?? false;
      this.waiting.splice(this.waiting.indexOf(waits), 1, turn);
      this.#tell(turn);
      this.end(waits, "cancelled edited");
    } else if (runs) {
      turn.isNext = true;
      turn.isCorrection = runs.hasTool || this.now - (runs.promptedAt ?? 0) >= 30_000;
      this.#enqueue(turn);
      if (!turn.isCorrection) this.stop(runs, "edited");
    } else if (this.turns.get(replaced)?.end !== "cancelled edited") {
      this.log.push(`q ${turn.name} ${turn.text} #${turn.attempt}`);
      this.end(turn, "skipped answered");
    }
    return turn.versions.length > 0 || turn.end !== undefined;
  }
  #enqueue(turn: Turn): void {
    const others = this.waiting.findIndex((one) => !one.isNext);
    this.waiting.splice(turn.isNext && others >= 0 ? others : this.waiting.length, 0, turn);
    if (turn.text) this.#tell(turn);
    const oldest = this.waiting.findIndex(({ text }) => !text);
    if (this.waiting.length > 32 && oldest >= 0) this.waiting.splice(oldest, 1);
  }
  #tell(turn: Turn): void {
    const ahead = [this.active, ...this.waiting.slice(0, this.waiting.indexOf(turn))];
    const behind = ahead.findLast((one) => one?.text);
    const place = behind ? ` <${behind.name}` : "";
    this.log.push(`q ${turn.name} ${turn.text} #${turn.attempt}${place}`);
  }
  next(): void {
    while (!this.active && this.waiting.length > 0) {
      const [turn] = this.waiting.splice(0, 1) as [Turn];
      if (!turn.text && (this.now - turn.at > 60_000 || !this.isAttached)) continue;
      this.active = Object.assign(turn, { promptedAt: this.now });
      this.isAttached = true;
      this.log.push(turn.text ? `s ${turn.name}` : `r ${turn.user}`);
      this.received.push(`${turn.isCorrection ? "changed: " : ""}${turn.text ?? "reaction"}`);
    }
  }
  end(turn: Turn, end: string): void {
    turn.end = end;
    this.waiting = this.waiting.filter((one) => one !== turn);
    if (turn.text) this.log.push(`e ${turn.name} ${end}`);
  }
  /** The agent has to stop; its turn ends with its answer. */
  stop(turn: Turn, cause: string): void {
    if (!turn.cause) this.received.push("cancel");
    turn.cause ??= cause;
    this.endAsks("cancelled");
  }
  endAsks(how: string): void {
    for (; this.asks > 0; this.asks--) this.log.push(`! ${this.active?.name} ${how}`);
  }
  /** The agent has answered its prompt, or never will. */
  over(how: string): void {
    const turn = this.active;
    this.endAsks("cancelled");
    this.active = undefined;
    if (turn) this.end(turn, turn.cause ? `cancelled ${turn.cause}` : how);
    this.next();
  }
  cancel(name: string, user: string, implied: boolean): string {
    const turn = this.turns.get(name);
    if (!turn || turn.end) return "late";
    if (implied ? user !== turn.user : !may(user, turn)) return "refused";
    if (turn === this.active) this.stop(turn, "user");
    else this.end(turn, "cancelled user");
    return "new";
  }
  react(user: string): void {
    this.#enqueue({ name: "", user, attempt: 1, at: this.now, versions: [] });
    this.next();
  }
  say(word: string): void {
    const { active } = this;
    if (!active || active.text) this.log.push(`x ${active?.name ?? "-"} ${word}`);
  }
  /** Another owner has come. What waited comes to it in the order in which it was posted. */
  takeOver(): void {
    const again = [...this.turns.values()].filter((one) => this.waiting.includes(one));
    this.waiting = [];
    this.isAttached = false;
    for (const turn of again) {
      Object.assign(turn, { isNext: false, isCorrection: false, versions: [] });
      this.#accept(turn);
    }
    this.next();
  }
}

export function may(user: string, turn: Turn): boolean {
  return user === turn.user || user === "boss";
}
