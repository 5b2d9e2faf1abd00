import type { RuleBook, RuleTrial } from '../rules/inForce/ruleBook.ts';
import type { Rule } from '../rules/inForce/rule.ts';
import type { OpenModel } from './modelCache.ts';
import { ruleSetOf, type RuleSet } from './steering/ruleSet.ts';

/** The rules in force, compiled for the open models. Rules that a model does without get a warning. */
export class AppliedRules {
  private readonly book: RuleBook;
  private readonly checked = new WeakSet<RuleSet>();
  private readonly reported = new WeakSet<RuleSet>();

  constructor(book: RuleBook) {
    this.book = book;
  }

  /** Whether the rules are known; before that, `of` must wait for `read`. */
  get isRead(): boolean {
    return this.book.isRead;
  }

  /** Resolves when the rules are known. @throws Problem database-unavailable */
  async read(): Promise<void> {
    if (!this.book.isRead) await this.book.refresh();
  }

  /**
   * Returns the rules that apply to the lists of an open model; null if there are none.
   * @param trial differences from the rules in force
   */
  of(organizationId: string, modelId: string, open: OpenModel, trial?: RuleTrial): RuleSet | null {
    const rules = this.book.inForce(organizationId, modelId, trial);
    if (rules.length === 0) return null;
    const set = ruleSetOf(open.recommender.model, rules);
    if (!this.checked.has(set)) this.check(rules, set, modelId, open.version);
    if (set.isTooExpensive && !this.reported.has(set)) this.reportCost(rules, set, modelId, open.version);
    return set.names.length === 0 ? null : set;
  }

  private check(rules: readonly Rule[], set: RuleSet, modelId: string, version: number): void {
    this.checked.add(set);
    for (const rule of rules) void this.book.warn(rule, modelId, version, set.faultOf(rule.name));
  }

  private reportCost(rules: readonly Rule[], set: RuleSet, modelId: string, version: number): void {
    this.reported.add(set);
    const detail = 'the rules in force took more than 5 million evaluations of parts for one list, because too few items pass, so further items were left out or not boosted';
    for (const rule of rules) void this.book.warn(rule, modelId, version, { detail });
  }
}
