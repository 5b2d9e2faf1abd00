import { follow } from '@vouch/platform/database/follow';
import type { Background } from '@vouch/platform/process/repeat';
import type { Platform } from '@vouch/platform/product/product';
import { statusOf, type Rule, type RuleFault } from './rule.ts';
import { listChanges, listRules, rulesChannel, storeWarning } from './ruleStore.ts';

/** Longest time between two looks at the database; notifications cause earlier looks. */
const pollMs = 500;
/** Maximum number of remembered selections per organization; each model and each trial has one, for which up to 9 bytes per item of the model are kept. */
const maxSelections = 32;
/** Maximum number of remembered warnings. */
const maxReported = 10_000;

/** Differences from the rules in force, for a trial. */
export interface RuleTrial {
  /** Rule that applies whether or not it is stored, enabled and in its dates. */
  with?: Rule;
  /** Name of a rule that does not apply. */
  without?: string;
  /** The selection is needed once, and not remembered. */
  once?: boolean;
}

interface Selection {
  rules: readonly Rule[];
  added: Rule | undefined;
  /** Times in ms between which the dates of rules select the same. */
  from: number;
  until: number;
}

interface OrganizationRules {
  rules: readonly Rule[];
  selections: Map<string, Selection>;
}

const none: readonly Rule[] = [];

/** The rules of all organizations, in the memory of one process. Every change is seen within a second; after a change in this process, `refresh` shows it at once. */
export class RuleBook {
  private readonly platform: Pick<Platform, 'clock' | 'database' | 'log'>;
  private readonly organizations = new Map<string, OrganizationRules>();
  /** Number of the last change that was read; -1 before the first reading. */
  private last = -1;
  private refreshing: Promise<void> = Promise.resolve();
  private readonly reported = new Set<string>();

  constructor(platform: Pick<Platform, 'clock' | 'database' | 'log'>) {
    this.platform = platform;
  }

  /** Whether the rules were read once. Before that, `refresh` must be awaited. */
  get isRead(): boolean {
    return this.last >= 0;
  }

  /** Reads the rules that changed. @throws Problem database-unavailable */
  refresh(): Promise<void> {
    const refreshing = this.refreshing.catch(() => undefined).then(() => this.read());
    this.refreshing = refreshing;
    return refreshing;
  }

  /**
   * Returns the rules that apply to the lists of a model, by name. The same array is returned until the rules change or a date is reached, so that what
   * is compiled for the array can be kept with it.
   */
  inForce(organizationId: string, modelId: string, trial: RuleTrial = {}): readonly Rule[] {
    const own = this.organizations.get(organizationId) ?? (trial.with === undefined ? null : this.add(organizationId));
    if (own === null) return none;
    const now = this.platform.clock.now();
    const key = `${modelId}\n${trial.with?.name ?? ''}\n${trial.without ?? ''}`;
    const known = own.selections.get(key);
    if (known !== undefined && now >= known.from && now < known.until && known.added === trial.with) return known.rules;
    const selected = select(own.rules, modelId, trial, now);
    const rules = selected.length === 0 ? none : selected;
    if (trial.once === true) return rules;
    if (own.selections.size >= maxSelections) own.selections.clear();
    own.selections.set(key, { rules, added: trial.with, ...datesAround(own.rules, now) });
    return rules;
  }

  /** Returns a rule as last read; null if there is none. */
  find(organizationId: string, name: string): Rule | null {
    return this.organizations.get(organizationId)?.rules.find((rule) => rule.name === name) ?? null;
  }

  /** Rules of all organizations that are in force. */
  *allInForce(): Generator<Rule> {
    const now = this.platform.clock.now();
    for (const { rules } of this.organizations.values()) yield* rules.filter((rule) => statusOf(rule, now) === 'in_force');
  }

  /**
   * Stores the fault of a rule with a version of a model, or, with null, removes a fault that no longer holds. Does not throw, because lists do not
   * depend on the warnings.
   */
  async warn(rule: Rule, modelId: string, version: number, fault: RuleFault | null): Promise<void> {
    const detail = fault?.detail ?? null;
    const known = this.find(rule.organizationId, rule.name)?.warnings[modelId];
    // Events can change the items that pass the filter; whether the rule fits the model, and whether its boost has values, stays as it is.
    if (known?.version === version ? known.detail === detail || (detail === null && known.isFollowed !== true) : known === undefined && detail === null) return;
    // Once, because a process with another version of the model may have changed the warning, and would change it again.
    const report = (text: string | null): string => JSON.stringify([rule.organizationId, rule.name, rule.updatedAt, modelId, version, text]);
    if (this.reported.has(report(detail))) return;
    if (this.reported.size >= maxReported) this.reported.clear();
    this.reported.add(report(detail));
    this.reported.delete(report(detail === null ? known?.detail ?? null : null));
    const { database, log } = this.platform;
    if (detail !== null) log.warn({ rule: rule.name, model_id: modelId, model_version: version, detail }, fault?.isFollowed === true ? 'every list of a model is empty because of a rule' : 'lists of a model do without a rule');
    try {
      await database.transaction((transaction) => storeWarning(transaction, rule, modelId, fault === null ? null : { version, ...fault }));
    } catch (error) {
      log.warn({ err: error, rule: rule.name, model_id: modelId }, 'the warning of a rule could not be stored');
    }
  }

  /** Begins the memory of an organization without rules, for a trial. */
  private add(organizationId: string): OrganizationRules {
    const own = { rules: none, selections: new Map<string, Selection>() };
    this.organizations.set(organizationId, own);
    return own;
  }

  private async read(): Promise<void> {
    const { database } = this.platform;
    const { organizationIds, last } = await listChanges(database, Math.max(0, this.last));
    const rules = organizationIds.length === 0 ? [] : await listRules(database, organizationIds);
    for (const id of organizationIds) {
      const own = rules.filter((rule) => rule.organizationId === id);
      if (own.length === 0) this.organizations.delete(id);
      else this.organizations.set(id, { rules: own, selections: new Map() });
    }
    this.last = last;
  }
}

function select(rules: readonly Rule[], modelId: string, { with: added, without }: RuleTrial, now: number): Rule[] {
  const applies = (rule: Rule): boolean => rule.modelId === null || rule.modelId === modelId;
  const selected = rules.filter((rule) => rule.name !== without && rule.name !== added?.name && applies(rule) && statusOf(rule, now) === 'in_force');
  return added === undefined || !applies(added) ? selected : [...selected, added];
}

/** The last date of rules before a time, and the next after it. The clock can be set back, so both limit a selection. */
function datesAround(rules: readonly Rule[], now: number): Pick<Selection, 'from' | 'until'> {
  const dates = rules.flatMap(({ validFrom, validUntil }) => [validFrom, validUntil]).flatMap((date) => date?.getTime() ?? []);
  return {
    from: Math.max(Number.NEGATIVE_INFINITY, ...dates.filter((date) => date <= now)),
    until: Math.min(Number.POSITIVE_INFINITY, ...dates.filter((date) => date > now)),
  };
}

/** Keeps the rules of a process up to date until `stop` is called. */
export function followRules(platform: Pick<Platform, 'database' | 'log' | 'timers'>, rules: RuleBook): Background {
  return follow(platform, { channel: rulesChannel, pollMs, what: 'rules' }, () => rules.refresh());
}
