import { type DcodeEvent, isKnownEvent, type KnownEvent } from "@acp-kit/dcode-protocol";
import { toolTitle } from "../src/mapping/tool-card.ts";

/*
 * What a client should hear, as lines that can be compared with what it has heard: one for each update,
 * in order, the pieces of a text joined. They are made from the daemon's log by the words of the
 * README, without the code that they judge; only the titles of cards have a table of their own.
 */

const planStatus: Record<string, string> = { active: "in_progress", done: "completed" };

/** A tool call as the log tells it. */
type Call = {
  /** The number of its card, in order of appearance. */
  readonly card: number;
  readonly title: string;
  requested: boolean;
  status: "pending" | "in_progress" | "over";
  /** Its title shows how many files it has seen. */
  counting: boolean;
};

/** The lines that a log should become. */
export class Account {
  readonly lines: string[] = [];
  readonly #window: number;
  readonly #isOwn: (text: string) => boolean;
  /** By the provider's id. One that a new call has taken is over. */
  readonly #calls = new Map<string, Call>();
  /** The calls that wait for an answer, by the approval's id. */
  readonly #asking = new Map<string, Call | undefined>();
  #cards = 0;
  #run: { readonly kind: string; readonly number: number } | undefined;
  #runs = 0;
  #inTurn = false;
  #mood = "";
  #plan = "";
  #used = 0;
  #error: string | undefined;

  /** @param isOwn - Whether a turn with this text was asked for by the client itself. */
  constructor(
    log: readonly DcodeEvent[],
    { window, isOwn }: { window: number; isOwn: (text: string) => boolean },
  ) {
    this.#window = window;
    this.#isOwn = isOwn;
    for (const event of log) {
      if (!isKnownEvent(event)) continue;
      const from = this.lines.length;
      const before = `${this.#mood} ${this.#plan}`;
      this.#take(event);
      const status = `${this.#mood} ${this.#plan}`;
      if (status === before) continue;
      // It rides on the event's first update, and is one of its own where there is none.
      const at = this.lines.findIndex((line, at) => at >= from && !line.startsWith("notice "));
      this.lines.splice(at < 0 ? this.lines.length : at, 0, `status ${status}`);
    }
  }

  #take(event: KnownEvent): void {
    switch (event.type) {
      case "turn.started": {
        const { text = "" } = event.payload;
        this.#endCalls();
        [this.#inTurn, this.#mood, this.#plan] = [true, "working", ""];
        this.#error = undefined;
        this.#run = undefined;
        if (!this.#isOwn(text)) this.#say("user", text);
        break;
      }
      case "turn.steered":
        this.#run = undefined;
        this.#say("user", event.payload.text);
        break;
      case "turn.completed": {
        const used = event.payload.usage?.context_tokens;
        this.#endCalls();
        [this.#inTurn, this.#mood, this.#plan] = [false, "", ""];
        this.#run = undefined;
        if (this.#error !== undefined) this.lines.push(`notice error ${this.#error}`);
        if (used !== undefined) this.#tellUsed(used);
        break;
      }
      case "message.delta":
        this.#feel("writing");
        this.#say("agent", event.payload.text);
        break;
      case "message.reasoning":
        this.#feel("thinking");
        this.#say("thought", event.payload.text);
        break;
      case "plan.updated": {
        const items = event.payload.items.toSorted((a, b) => a.id - b.id);
        const entries = items.map(({ text, status, blocked }) => {
          const content = blocked ? `${text} (blocked: ${blocked})` : text;
          return `${content}=${planStatus[status] ?? "pending"}`;
        });
        this.lines.push(`plan ${entries.join(", ")}`);
        break;
      }
      case "progress":
        this.#progress(event.payload);
        break;
      case "tool.requested":
        this.#request(event.payload);
        break;
      case "tool.approval_required":
        this.#feel("asking");
        this.#asking.set(event.payload.approval_id, this.#calls.get(event.payload.tool_call_id));
        break;
      case "tool.approval_resolved": {
        this.#feel("working");
        const call = this.#asking.get(event.payload.approval_id);
        if (call === undefined) return;
        if (event.payload.decision.startsWith("allow")) this.#begin(call);
        else this.#end(call, "failed");
        break;
      }
      case "tool.completed": {
        this.#feel("working");
        this.#run = undefined;
        const call = this.#calls.get(event.payload.tool_call_id);
        if (!call) throw new Error("a completion without a call is not in these scripts");
        const { ok, output } = event.payload;
        this.#end(call, ok ? "completed" : "failed", output);
        break;
      }
      case "context.band": {
        const used = Math.round(event.payload.fraction * this.#window);
        if (used > this.#used) this.#tellUsed(used);
        break;
      }
      case "session.compacted":
        this.#used = 0;
        this.lines.push("notice info Earlier messages were summarised.");
        break;
      case "skill.loaded":
        this.lines.push(`notice info Skill: ${event.payload.name}`);
        break;
      case "done.proposed":
        this.lines.push(
          "notice warning dcode proposes a definition of done, which can only be signed in dcode itself: ",
        );
        break;
      case "session.error":
        if (this.#inTurn) this.#error = event.payload.message;
        else this.lines.push(`notice error ${event.payload.message}`);
        break;
      case "session.renamed":
        this.lines.push(`title ${event.payload.name || null}`);
        break;
      case "session.mode_changed":
        this.#tellMode(event.payload.mode || "custom");
        break;
    }
  }

  #feel(mood: string): void {
    if (this.#inTurn) this.#mood = mood;
  }

  #say(kind: string, text: string): void {
    if (text === "") return;
    const same = this.#run?.kind === kind ? this.#run : undefined;
    this.#run = same ?? { kind, number: ++this.#runs };
    const start = `${kind} ${this.#run.number} `;
    const last = this.lines.length - 1;
    if (this.lines[last]?.startsWith(start)) this.lines[last] += text;
    else this.lines.push(start + text);
  }

  #tellMode(mode: string): void {
    this.lines.push(`mode ${mode}`, `option ${mode}`);
  }

  #tellUsed(used: number): void {
    this.#used = used;
    this.lines.push(`usage ${used}/${this.#window}`);
  }

  #progress(payload: Extract<KnownEvent, { type: "progress" }>["payload"]): void {
    const { kind, done, total, tool_call_id: id = "", name = "" } = payload;
    const count = total === undefined ? `${done}` : `${done}/${total}`;
    const call = this.#calls.get(id);
    if (kind === "rounds") this.#plan = count;
    if (kind === "in_flight") for (const each of this.#calls.values()) this.#begin(each);
    if (kind === "files" && call && call.status !== "over") {
      call.counting = true;
      this.#tellCard(call, { title: `${call.title} (${count})` });
    }
    if (kind === "arguments" && (call === undefined || call.requested)) this.#open(id, name);
  }

  #request({
    tool_call_id: id,
    name,
    input,
  }: {
    tool_call_id: string;
    name: string;
    input: unknown;
  }) {
    this.#feel("working");
    this.#run = undefined;
    const title = toolTitle(name, input);
    const announced = this.#calls.get(id);
    if (announced?.requested !== false) return this.#open(id, title, true);
    const call = { ...announced, title, requested: true };
    this.#calls.set(id, call);
    this.#tellCard(call, { status: "pending", title });
  }

  #open(id: string, title: string, requested = false): void {
    const older = this.#calls.get(id);
    if (older) this.#end(older, "failed");
    this.#calls.delete(id);
    this.#run = undefined;
    this.#cards += 1;
    const call: Call = { card: this.#cards, title, requested, status: "pending", counting: false };
    this.#calls.set(id, call);
    this.#tellCard(call, { status: "pending", title });
  }

  #begin(call: Call): void {
    if (call.status !== "pending") return;
    call.status = "in_progress";
    this.#tellCard(call, { status: "in_progress" });
  }

  #end(call: Call, status: string, output?: string): void {
    if (call.status === "over") return;
    call.status = "over";
    this.#tellCard(call, { status, ...(call.counting && { title: call.title }), output });
  }

  #endCalls(): void {
    for (const call of this.#calls.values()) this.#end(call, "failed");
    this.#calls.clear();
    this.#asking.clear();
  }

  #tellCard(
    { card }: Call,
    told: { status?: string; title?: string; output?: string | undefined },
  ) {
    this.lines.push(`card ${card} ${JSON.stringify([told.status, told.title, told.output])}`);
  }
}
