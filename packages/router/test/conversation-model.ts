import type { PromptItem } from "../src/index.ts";

export type Prompt = Pick<PromptItem, "user" | "key" | "repeat" | "replaces"> & {
  readonly text: string;
  readonly busy: "queue" | "interrupt" | "steer";
  /** It comes with a file. */
  readonly hasFile?: boolean;
};
type Posted = { readonly name: string; readonly user: string; attempt: number; at: number };
type Place = { versions: string[]; isNext?: boolean; isCorrection?: boolean };
type Course = { promptedAt?: number; hasTool?: boolean; cause?: string | undefined; end?: string };
/** What its file does, and the turn that it was offered to. */
type Way = { isHere?: boolean; taker?: Turn | undefined };
type Turn = Partial<Prompt> & Posted & Place & Course & Way;

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
  /** A reset has come while the agent had a prompt. */
  isOver = false;
  takesSteering = true;
  /** The agent takes its time to say whether it takes a message; those that it has are in `offers`. */
  isSlow = false;
  offers: Turn[] = [];
  asked = 0;
  /** Files come at once, one message after another; those that are still to come are in `intakes`. */
  areFilesComing = true;
  intakes: Turn[] = [];
  arrived = 0;
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
    const all = [...this.waiting, ...(this.active ? [this.active] : [])];
    const unheard = all.filter(({ text, promptedAt }) => text && promptedAt === undefined);
    if (unheard.length >= 32) return "queue-full";
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
    if (turn.hasFile) this.intakes.push(turn);
    if (turn.replaces && this.#edit(turn, turn.replaces)) return;
    turn.isNext = turn.busy !== "queue" && active !== undefined && may(turn.user, active);
    const isMine = (one: Turn) => one.text !== undefined && one.user === turn.user;
    const old = turn.isNext && turn.busy === "interrupt" ? this.waiting.filter(isMine) : [];
    this.waiting = this.waiting.filter((one) => !old.includes(one));
    this.#enqueue(turn);
    for (const one of old) this.end(one, "cancelled superseded");
    if (!active || !turn.isNext) return;
    if (turn.busy === "interrupt") this.stop(active, "superseded");
    if (
      turn.busy === "interrupt" ||
      !active.text ||
      active.cause ||
      active.promptedAt === undefined
    )
      return;
    turn.taker = active;
    this.#offer(turn);
  }
  /** The agent is asked once the files are there, if the turn that it was to go into is. */
  #offer(turn: Turn): void {
    if (turn.hasFile && !turn.isHere) return;
    const isWanted = !turn.taker?.end;
    if (isWanted) this.asked += 1;
    if (isWanted && this.isSlow) this.offers.push(turn);
    else this.answerOffer(turn, isWanted && this.takesSteering);
  }
  answerOffer(turn: Turn, isTaken: boolean): void {
    const { taker } = turn;
    turn.taker = undefined;
    this.offers = this.offers.filter((one) => one !== turn);
    if (isTaken) this.log.push(`> ${taker?.end ? "-" : taker?.name} ${turn.user} ${turn.text}`);
    if (isTaken && !turn.end) this.end(turn, "skipped steered");
    this.next();
  }
  /** Each message's files come behind those of the message before it. */
  #settleFiles(): void {
    for (;;) {
      const [turn] = this.intakes;
      if (!turn || !(turn.end || this.areFilesComing)) return;
      this.intakes.shift();
      if (turn.end) continue;
      turn.isHere = true;
      this.arrived += 1;
      if (turn === this.active) this.#prompt(turn);
      else if (turn.taker) this.#offer(turn);
    }
  }
  #edit(turn: Turn, replaced: string): boolean {
    const isIt = (one: Turn) =>
      [one.name, ...one.versions].includes(replaced) && may(turn.user, one);
    const waits = this.waiting.find(isIt);
    const active = this.active && isIt(this.active) && !this.active.cause ? this.active : undefined;
    const runs = waits ?? active;
    turn.versions = [waits ?? runs ?? []].flat().flatMap((one) => [one.name, ...one.versions]);
    if (waits && !waits.taker) {
      turn.isNext = waits.isNext ?? false;
      turn.isCorrection = waits.isCorrection ?? false;
      this.waiting.splice(this.waiting.indexOf(waits), 1, turn);
      this.#tell(turn);
      this.end(waits, "cancelled edited");
    } else if (runs) {
      turn.isNext = true;
      const age = this.now - (runs.promptedAt ?? this.now);
      turn.isCorrection = runs === waits || runs.hasTool || age >= 30_000;
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
    this.#settleFiles();
    while (!this.active && this.waiting.length > 0 && !this.waiting.some((one) => one.taker)) {
      const [turn] = this.waiting.splice(0, 1) as [Turn];
      if (!turn.text && (this.now - turn.at > 60_000 || !this.isAttached)) continue;
      this.active = turn;
      this.#prompt(turn);
    }
  }
  #prompt(turn: Turn): void {
    if (turn.hasFile && !turn.isHere) return;
    turn.promptedAt = this.now;
    this.isAttached = true;
    this.log.push(turn.text ? `s ${turn.name}` : `r ${turn.user}`);
    const said = `${turn.text ?? "reaction"}${turn.hasFile ? " +file" : ""}`;
    this.received.push(`${turn.isCorrection ? "changed: " : ""}${said}`);
  }
  end(turn: Turn, end: string): void {
    turn.end = end;
    this.waiting = this.waiting.filter((one) => one !== turn);
    if (turn.text) this.log.push(`e ${turn.name} ${end}`);
  }
  /** The agent has to stop; its turn ends with its answer. */
  stop(turn: Turn, cause: string): void {
    const isPrompted = turn.promptedAt !== undefined;
    if (isPrompted && !turn.cause) this.received.push("cancel");
    turn.cause ??= cause;
    this.endAsks("cancelled");
    if (!isPrompted) this.over("");
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
    if (this.isOver) this.isAttached = false;
    this.isOver = false;
    this.next();
  }
  /** @param name - Of a turn that is to end for it. */
  reset(name: string | undefined, user: string): string {
    const turn = this.turns.get(name);
    if (turn && !turn.end && !may(user, turn)) return "refused";
    if (turn && !turn.end) {
      if (turn.promptedAt !== undefined) this.stop(turn, "user");
      else this.end(turn, "cancelled user");
      if (turn === this.active && turn.end) this.active = undefined;
    }
    this.log.push(`z ${user}`);
    const isPrompted = this.active?.promptedAt !== undefined;
    if (isPrompted) this.isOver = true;
    else this.isAttached = false;
    this.next();
    return "new";
  }
  cancel(name: string, user: string, implied: boolean): string {
    const turn = this.turns.get(name);
    if (!turn || turn.end) return "late";
    if (implied ? user !== turn.user : !may(user, turn)) return "refused";
    if (turn === this.active) this.stop(turn, "user");
    else this.end(turn, "cancelled user");
    this.next();
    return "new";
  }
  react(user: string): void {
    this.#enqueue({ name: "", user, attempt: 1, at: this.now, versions: [] });
    this.next();
  }
  say(word: string): void {
    const { active } = this;
    const turn = active?.promptedAt === undefined ? "-" : active.name;
    if (!active || active.text) this.log.push(`x ${turn} ${word}`);
  }
  /** Another owner has come. What waited comes to it in the order in which it was posted. */
  takeOver(): void {
    const again = [...this.turns.values()].filter((one) => this.waiting.includes(one));
    Object.assign(this, { waiting: [], intakes: [], offers: [], isAttached: false, isOver: false });
    for (const turn of again) {
      const way = { isHere: false, taker: undefined };
      Object.assign(turn, { isNext: false, isCorrection: false, versions: [], ...way });
      this.#accept(turn);
    }
    this.next();
  }
}

export function may(user: string, turn: Turn): boolean {
  return user === turn.user || user === "boss";
}
