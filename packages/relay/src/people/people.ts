import type { Choice, PermissionPolicy, Role, TurnAdmission, TurnStart } from "@acp-kit/router";
import type { RelayDb } from "../relay-db.ts";
import { type Access, createAccess } from "./access.ts";
import {
  type AccessRule,
  DEFAULT_COMMANDS,
  isFor,
  OPERATOR_COMMANDS,
  type Person,
  type Place,
} from "./access-rule.ts";
import { type ChoiceBounds, isOpenTo } from "./is-open-to.ts";
import { KeptPeople } from "./kept-people.ts";
import { DAY_MS, type Limits } from "./limits.ts";
import { createPairingCode, type Pairing, pair } from "./pairing.ts";
import { formatPause, type Pause, PauseSwitch } from "./pause-switch.ts";
import { placeOf } from "./place-of.ts";
import { Policies } from "./policies.ts";
import { Usage, type UsageGroup, type UsageSum } from "./usage.ts";

/** What a decision about a person was, for the operator's log; no text of theirs is in it. */
export type AccessDecision = {
  readonly what: "talk" | "turn" | "choice" | "pairing" | "pause" | "policy" | "budget";
  readonly decision: "allowed" | "refused" | "warned";
  readonly reason: string;
  /** Absent: the console. */
  readonly user?: string | undefined;
  readonly conversation?: string | undefined;
};

/** Who may do what, and how much of it. */
export interface People extends Access {
  /** Whether a value of a setting is open to a person; see the router's `mayChoose`. */
  mayChoose(choice: Choice): boolean;
  /** The agent's own commands that a person may call. */
  commandsOf(person: Person): readonly string[];
  /** Ids of people who may answer for others in a place, as far as rules name them. */
  approversIn(place: Place): readonly string[];
  /** Asked before each turn: the person's rule, the pause switch, the limits. */
  admitTurn(start: TurnStart): TurnAdmission;
  /** Makes somebody the first operator whose code is right. Ask it before {@link Access.admit}: they may not talk yet. */
  pair(person: Person, code: string): Pairing;
  /** A code to print, when there is no operator yet. */
  createPairingCode(): string | undefined;
  readonly pause: Pause | undefined;
  /** No turn starts until {@link resume}; what runs goes on. For operators: the caller has asked for the role. */
  pauseAll(by: string, reason: string): void;
  /** False: it was not paused. */
  resumeAll(by: string): boolean;
  /** The policy that an operator has set for a workspace while the relay ran. */
  policyOf(workspace: string): PermissionPolicy | undefined;
  /** @param policy - Absent: the configuration's holds again. For operators, like {@link pauseAll}. */
  setPolicy(workspace: string, policy: PermissionPolicy | undefined, by: string): void;
  /** What a person has used in the last 24 hours. */
  usageOf(user: string): UsageSum;
  /** The same by person, workspace or model. @param days - How far back; at most 90. */
  usageBy(group: UsageGroup, days: number): readonly (UsageSum & { readonly name: string })[];
  readonly usage: Usage;
}

export type PeopleOptions = {
  readonly db: RelayDb;
  /** The relay's command. */
  readonly app: string;
  readonly rules: readonly AccessRule[];
  readonly limits: Limits;
  /** Everybody is an operator: nobody has to become one. */
  readonly isDemo: boolean;
  /** What bounds the choices in a conversation; `agent` is the one that a choice is about. */
  readonly boundsOf: (conversation: string, agent?: string) => ChoiceBounds;
  /** Name of the workspace that a conversation works in. */
  readonly workspaceOf: (conversation: string) => string;
  readonly now: () => number;
  readonly onDecision: (decision: AccessDecision) => void;
};

export function createPeople(options: PeopleOptions): People {
  return new RelayPeople(options);
}

class RelayPeople implements People {
  readonly usage: Usage;
  readonly #options: PeopleOptions;
  readonly #access: Access;
  readonly #kept: KeptPeople;
  readonly #switch: PauseSwitch;
  readonly #policies: Policies;

  constructor(options: PeopleOptions) {
    const { db, rules, app, limits, now } = options;
    this.#options = options;
    this.#kept = new KeptPeople(db);
    this.#switch = new PauseSwitch(db);
    this.#policies = new Policies(db);
    this.#access = createAccess({ rules, app, keptRoleOf: (person) => this.#kept.roleOf(person) });
    this.usage = new Usage(db, limits, now);
  }

  roleOf(person: Person): Role | undefined {
    return this.#access.roleOf(person);
  }

  ruleOf(person: Person): AccessRule | undefined {
    return this.#access.ruleOf(person);
  }

  admit(person: Person): ReturnType<Access["admit"]> {
    const admission = this.#access.admit(person);
    if (admission.kind === "refused") {
      const { user } = person;
      this.#decided({ what: "talk", decision: "refused", reason: "no-rule", user });
    }
    return admission;
  }

  mayChoose(choice: Choice): boolean {
    const { conversation, user, agent } = choice;
    const bounds = this.#options.boundsOf(conversation, agent);
    return isOpenTo(this.ruleOf({ ...placeOf(conversation), user }), choice, bounds);
  }

  commandsOf(person: Person): readonly string[] {
    const rule = this.ruleOf(person);
    if (!rule) return [];
    return rule.commands ?? (rule.role === "operator" ? OPERATOR_COMMANDS : DEFAULT_COMMANDS);
  }

  approversIn(place: Place): readonly string[] {
    const ids = this.#options.rules
      .filter((rule) => isFor(rule, place))
      .flatMap(({ users, approvers = [], role }) =>
        role === "user" ? approvers : [...users, ...approvers],
      );
    const kept = this.#kept.list().filter(({ bot, role }) => {
      return role !== "user" && (bot === "" || bot === place.bot);
    });
    return [...new Set([...ids, ...kept.map(({ user }) => user)])].filter((id) => id !== "*");
  }

  admitTurn(start: TurnStart): TurnAdmission {
    const { conversation, user, into } = start;
    const refuse = (reason: string, text: string): TurnAdmission => {
      // What may not join a turn is no refusal yet: it waits for its own.
      if (!into) this.#decided({ what: "turn", decision: "refused", reason, user, conversation });
      return { kind: "refused", text };
    };
    const rule = this.ruleOf({ ...placeOf(conversation), user });
    if (!rule) return refuse("no-rule", "You may not write to this bot any more.");
    const { pause } = this;
    if (pause) return refuse("paused", formatPause(pause));
    const workspace = this.#options.workspaceOf(conversation);
    const place = { setting: "workspace", value: workspace };
    if (!isOpenTo(rule, place, this.#options.boundsOf(conversation))) {
      return refuse("workspace", `The project ${workspace} is not open to you here.`);
    }
    // The turn runs with what is open to its own person.
    if (into && into.user !== user && rule.role !== "operator") {
      return refuse("not-theirs", "That turn belongs to somebody else.");
    }
    const admission = into
      ? this.usage.join({ ...start, workspace })
      : this.usage.start({ ...start, workspace });
    if (admission.kind === "refused") return refuse(admission.reason, admission.text);
    for (const reason of admission.near) {
      this.#decided({ what: "budget", decision: "warned", reason, user, conversation });
    }
    const { notice } = admission;
    return { kind: "admitted", ...(notice !== undefined && { notice }) };
  }

  pair({ user }: Person, code: string): Pairing {
    const pairing = pair(this.#options.db, this.#kept, { user, code, now: this.#options.now() });
    const decision = pairing.kind === "paired" ? "allowed" : "refused";
    this.#decided({ what: "pairing", decision, reason: pairing.kind, user });
    return pairing;
  }

  createPairingCode(): string | undefined {
    const { rules, isDemo, db, now } = this.#options;
    const isNamed = rules.some(({ role, users }) => role === "operator" && users.length > 0);
    if (isDemo || isNamed || this.#kept.hasOperator) return undefined;
    return createPairingCode(db, now());
  }

  get pause(): Pause | undefined {
    return this.#switch.pause;
  }

  pauseAll(by: string, reason: string): void {
    this.#switch.set({ by, reason, at: this.#options.now() });
    this.#decided({ what: "pause", decision: "allowed", reason: "paused", user: by });
  }

  resumeAll(by: string): boolean {
    const wasPaused = this.#switch.clear();
    this.#decided({ what: "pause", decision: "allowed", reason: "resumed", user: by });
    return wasPaused;
  }

  policyOf(workspace: string): PermissionPolicy | undefined {
    return this.#policies.get(workspace);
  }

  setPolicy(workspace: string, policy: PermissionPolicy | undefined, by: string): void {
    this.#policies.set(workspace, policy, by);
    this.#decided({ what: "policy", decision: "allowed", reason: policy ?? "default", user: by });
  }

  usageOf(user: string): UsageSum {
    return this.usage.of(user, DAY_MS);
  }

  usageBy(group: UsageGroup, days: number): readonly (UsageSum & { readonly name: string })[] {
    return this.usage.by(group, days * DAY_MS);
  }

  #decided(decision: AccessDecision): void {
    this.#options.onDecision(decision);
  }
}
