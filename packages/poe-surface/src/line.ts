/** A response, as far as the others of its conversation need to know it. */
export interface LineMember {
  readonly conversation: string;
  /** Key of the message that it answers; empty for one that is never a repeat. */
  readonly key: string;
  readonly user: string;
  /** The message in a few words. */
  readonly label: string;
  /** Its client is gone and its turn waits for the client to come back. */
  readonly isAbandoned: boolean;
  /** A newer response reads from now on: leave without writing anything more. */
  supersede(): void;
}

/**
 * The responses of each conversation, in the order in which they read: one at a time, so that what one delivered is
 * not delivered again by the next.
 */
export class Line<Member extends LineMember> {
  readonly #members = new Map<string, Member[]>();
  readonly #waiting = new Map<Member, () => void>();
  readonly #empty: (() => void)[] = [];

  get all(): readonly Member[] {
    return [...this.#members.values()].flat();
  }

  of(conversation: string): readonly Member[] {
    return this.#members.get(conversation) ?? [];
  }

  /** Adds a response at the end; one for the message of an earlier response takes that one's place. */
  enter(member: Member): void {
    const members = [...this.of(member.conversation)];
    const at = members.findIndex((other) => isSameMessage(other, member));
    // Right behind the older one, which is about to leave.
    members.splice(at < 0 ? members.length : at + 1, 0, member);
    this.#members.set(member.conversation, members);
    if (at >= 0) members[at]?.supersede();
  }

  leave(member: Member): void {
    this.#waiting.delete(member);
    const rest = this.of(member.conversation).filter((other) => other !== member);
    if (rest.length > 0) this.#members.set(member.conversation, rest);
    else this.#members.delete(member.conversation);
    const [first] = rest;
    if (first) this.#waiting.get(first)?.();
    if (this.#members.size === 0) for (const resolve of this.#empty.splice(0)) resolve();
  }

  isFirst(member: Member): boolean {
    return this.of(member.conversation)[0] === member;
  }

  /** The response that is to read before this one. */
  ahead(member: Member): Member | undefined {
    const members = this.of(member.conversation);
    return members[members.indexOf(member) - 1];
  }

  /** Resolves once nobody reads before this response. Never does when it leaves first. */
  first(member: Member): Promise<void> {
    if (this.isFirst(member)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(member, resolve));
  }

  /** Resolves once no response is left. */
  empty(): Promise<void> {
    if (this.#members.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#empty.push(resolve));
  }
}

/** Whoever else names the message is not the one who wrote it. */
export function isSameMessage(
  one: Pick<LineMember, "key" | "user">,
  other: Pick<LineMember, "key" | "user">,
): boolean {
  return one.key !== "" && one.key === other.key && one.user === other.user;
}
