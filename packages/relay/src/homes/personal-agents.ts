import { existsSync } from "node:fs";
import type {
  AgentCapabilities,
  AuthMethod,
  Implementation,
  SupervisorOptions,
} from "@acp-kit/acp-wire";
import { DEFAULT_SESSION_TTL_MS } from "@acp-kit/router";
import { RelayError } from "../errors.ts";
import { type HearSettings, ObservedAgent } from "../offers/observed-agent.ts";
import { waitAtMost } from "../wait-at-most.ts";
import { homeOf, makeHome } from "./home.ts";
import { PersonalAgent } from "./personal-agent.ts";

export type PersonalAgentsOptions = {
  readonly name: string;
  readonly supervised: SupervisorOptions;
  readonly hear: HearSettings;
  /** Real path. */
  readonly stateDir: string;
  /** Most processes at once. Default 20. */
  readonly maxProcesses?: number | undefined;
  /** A process that nobody has used for so long is ended. In milliseconds; default 2 h. */
  readonly idleMs?: number;
  /** How often is looked for those. In milliseconds; default 1 min. */
  readonly sweepMs?: number;
  /** How long a start waits for its place, in milliseconds; default 1 min. */
  readonly waitMs?: number;
};

const MAX_PROCESSES = 20;
const MINUTE_MS = 60_000;

type Person = { readonly user: string; readonly home: string; readonly agent: PersonalAgent };

/**
 * An agent that serves each person by a process of their own, with a HOME of their own: who is logged in there, is so
 * for themselves alone. So many run at once; beyond that the one that was idle longest makes room.
 *
 * It runs none itself: what it tells of the agent is what the newest of them says.
 */
export class PersonalAgents extends ObservedAgent {
  readonly #options: PersonalAgentsOptions;
  readonly #people = new Map<string, Person>();
  /** Those whose process runs, starts or ends. */
  readonly #placed = new Set<Person>();
  /** Processes that are being ended, by person: no two of them work in one home. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #sweep: NodeJS.Timeout;
  #changed = Promise.withResolvers<void>();
  #newest: PersonalAgent | undefined;
  #isClosed = false;

  constructor(options: PersonalAgentsOptions) {
    const aroundStart = () => {
      throw new Error("an agent that serves each person by itself was started for nobody");
    };
    super({ ...options.supervised, aroundStart }, options.hear);
    this.#options = options;
    this.#sweep = setInterval(() => this.#endUnused(), options.sweepMs ?? MINUTE_MS).unref();
  }

  override get info(): Implementation | undefined {
    return this.#newest?.info;
  }
  override get capabilities(): AgentCapabilities {
    return this.#newest?.capabilities ?? {};
  }
  override get authMethods(): readonly AuthMethod[] {
    return this.#newest?.authMethods ?? [];
  }

  /** How many processes there are. */
  get size(): number {
    return this.#placed.size;
  }

  /** A person's own. It may be gone at their next message: ask for it at each. */
  forPerson(user: string): PersonalAgent {
    const known = this.#people.get(user);
    if (known) return known.agent;
    const { name, stateDir, supervised, hear } = this.#options;
    const home = homeOf(stateDir, name, user);
    const agent = new PersonalAgent(
      {
        ...supervised,
        env: { ...supervised.env, HOME: home },
        aroundStart: (start) => this.#start(person, start),
      },
      hear,
      () => this.#tellChange(),
    );
    const person: Person = { user, home, agent };
    agent.onExit(() => this.#free(person));
    this.#people.set(user, person);
    return agent;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    this.#tellChange();
    for (const person of [...this.#people.values()]) void this.#end(person);
    await Promise.all(this.#leaving.values());
    await super[Symbol.asyncDispose]();
  }

  async #start<Started>(person: Person, start: () => Promise<Started>): Promise<Started> {
    await this.#leaving.get(person.user);
    await makeHome(person.home);
    await this.#takePlace(person);
    try {
      const started = await start();
      this.#newest = person.agent;
      return started;
    } catch (error) {
      this.#free(person);
      throw error;
    }
  }

  async #takePlace(person: Person): Promise<void> {
    const { maxProcesses = MAX_PROCESSES, waitMs = MINUTE_MS, name } = this.#options;
    const end = performance.now() + waitMs;
    while (!this.#isClosed) {
      if (this.#placed.size < maxProcesses) {
        this.#placed.add(person);
        return;
      }
      const [idle] = [...this.#placed]
        .filter(({ user, agent }) => agent.isIdle && !this.#leaving.has(user))
        .sort((a, b) => a.agent.usedAt - b.agent.usedAt);
      if (idle) await this.#end(idle);
      else if (!(await waitAtMost(end - performance.now(), this.#changed.promise))) break;
    }
    throw new RelayError(`agent "${name}": all ${maxProcesses} processes are in use`, {
      code: "agents_busy",
      chatText:
        "This agent is busy with other people just now. Send your message again in a minute.",
    });
  }

  /** The process is gone. */
  #free(person: Person): void {
    this.#placed.delete(person);
    this.#tellChange();
  }

  #tellChange(): void {
    const before = this.#changed;
    this.#changed = Promise.withResolvers();
    before.resolve();
  }

  /** Ends a person's process for good; their next message gets another. */
  #end(person: Person): Promise<void> {
    const { user, agent } = person;
    if (this.#people.get(user) === person) this.#people.delete(user);
    const before = this.#leaving.get(user);
    const gone = Promise.all([before, agent[Symbol.asyncDispose]()]).then(() => {
      if (this.#leaving.get(user) === gone) this.#leaving.delete(user);
      this.#free(person);
    });
    this.#leaving.set(user, gone);
    return gone;
  }

  /** Also ends whoever's home was erased meanwhile. */
  #endUnused(): void {
    const { idleMs = DEFAULT_SESSION_TTL_MS } = this.#options;
    for (const person of this.#people.values()) {
      const { agent, home } = person;
      const isErased = agent.running !== undefined && !existsSync(home);
      const isUnused = performance.now() - agent.usedAt >= idleMs;
      if (agent.isIdle && (isUnused || isErased)) void this.#end(person);
    }
  }
}
