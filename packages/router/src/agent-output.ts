import type { SessionUpdateParams } from "@acp-kit/acp-wire";
import { ChunkSeam } from "./chunk-seam.ts";
import type { EventBody } from "./events.ts";
import { ShownByTools } from "./file-content.ts";
import {
  type FileToSend,
  OutgoingFiles,
  type OutgoingFilesHost,
  type SendResult,
} from "./outgoing-files.ts";
import { OutputCap } from "./output-cap.ts";
import type { SendPolicy } from "./router.ts";
import { parseSessionUpdate } from "./session-update.ts";

export type AgentOutputHost = Omit<
  OutgoingFilesHost,
  "policy" | "owner" | "record" | "shownByTools"
> & {
  /** Asked once for each turn, and once for what is said between two. */
  sending(): SendPolicy | undefined;
  /** The person whose turn this is, while it runs. */
  requesterOf(turn: string): string | undefined;
  record(event: EventBody, turn: string | undefined): void;
};

/** What the agent says in a conversation, on its way into the log: within bounds, and without the lines that send files. */
export class AgentOutput {
  readonly #host: AgentOutputHost;
  readonly #cap = new OutputCap();
  readonly #seam = new ChunkSeam();
  readonly #shownByTools = new ShownByTools();
  #files: OutgoingFiles | undefined;

  constructor(host: AgentOutputHost) {
    this.#host = host;
  }

  /** What an update says; half a character waits for the next one. */
  parse(params: SessionUpdateParams): readonly EventBody[] {
    return parseSessionUpdate(this.#seam.join(params));
  }

  /** @param update - That the event was read from. */
  write(event: EventBody, turn: string | undefined, update: unknown): void {
    this.#recordAll(this.#filesOf(turn).take(event, update), turn);
  }

  sendFile(turn: string, file: FileToSend): Promise<SendResult> {
    return this.#filesOf(turn).send(file);
  }

  /** Sends a file in no turn, and beside what a running one sends. */
  sendAside(file: FileToSend, user: string): Promise<SendResult> {
    return this.#createFiles(undefined, user).send(file);
  }

  /** Resolves once what the turn sends is decided. */
  async settled(turn: string): Promise<void> {
    if (this.#files?.turn !== turn) return;
    this.#recordAll(this.#files.flush(), turn);
    await this.#files.settled();
  }

  /** To be called before the end of a turn is recorded. */
  end(turn: string): void {
    if (this.#files?.turn !== turn) return;
    this.#recordAll(this.#files.flush(), turn);
    this.#files.end();
    this.#files = undefined;
  }

  #filesOf(turn: string | undefined): OutgoingFiles {
    const before = this.#files;
    if (before?.turn === turn && before) return before;
    if (before) this.#recordAll(before.flush(), before.turn);
    const owner = turn === undefined ? undefined : this.#host.requesterOf(turn);
    // A call that outlives its turn goes on repeating what it has shown there.
    if (turn !== undefined) this.#shownByTools.clear();
    this.#files = this.#createFiles(turn, owner);
    return this.#files;
  }

  #createFiles(turn: string | undefined, owner: string | undefined): OutgoingFiles {
    return new OutgoingFiles(turn, {
      ...this.#host,
      policy: this.#host.sending(),
      owner,
      shownByTools: this.#shownByTools,
      record: (event) => this.#host.record(event, turn),
    });
  }

  #recordAll(events: readonly EventBody[], turn: string | undefined): void {
    for (const event of events) {
      const kept = this.#cap.admit(event, turn);
      if (kept) this.#host.record(kept, turn);
    }
  }
}
