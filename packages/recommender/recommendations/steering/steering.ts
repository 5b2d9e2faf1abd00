import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';
import { maxBoost, type Expression } from '../../expressions/expression.ts';
import type { Scope, Value } from '../../expressions/expressionValue.ts';
import { expressionsOf, type ModelFilter } from './compiledExpressions.ts';
import { testedTogether } from './dividedParts.ts';
import { nobody } from './nobody.ts';
import { compileRules, passedClauses, type RuleSet } from './ruleSet.ts';

/** Maximum estimated number of evaluations of parts of expressions per list. */
const maxWork = 5_000_000;

/** One item and its place. */
const alone = [new Int32Array(1), new Int32Array(1)] as const;

/** The expressions of a request, as given. */
export interface SteeringTexts {
  filter?: string | undefined;
  boost?: string | undefined;
}

/** A clause of a filter that is false for an item, or undefined because a value is absent. */
export interface FailedClause {
  /** Rule that the clause belongs to; null for the filter of the request. */
  rule: string | null;
  text: string;
  value: Value;
  columns: readonly { text: string; value: Value }[];
}

/** Evaluates the expressions of one request, and the rules in force, for the items of one list after another. */
export class Steering {
  readonly hasBoost: boolean;
  readonly hasFilter: boolean;
  private readonly model: ModelReader;
  private readonly filter: ModelFilter | null = null;
  private readonly boost: Expression | null = null;
  private readonly texts: SteeringTexts;
  private readonly rules: RuleSet | null;
  private readonly scope: Scope = { item: -1, user: nobody, element: undefined };
  private work = 0;

  /** @throws Problem invalid-expression */
  constructor(model: ModelReader, texts: SteeringTexts, rules: RuleSet | null = null) {
    const { filter, boost } = texts;
    this.model = model;
    this.texts = texts;
    this.rules = rules;
    const expressions = expressionsOf(model);
    if (filter !== undefined) this.filter = expressions.filter(filter);
    if (boost !== undefined) this.boost = expressions.boost(boost);
    this.hasBoost = this.boost !== null || rules?.hasBoost === true;
    this.hasFilter = this.filter !== null || rules?.hasFilter === true;
    this.readsUser = this.filter?.readsUser === true || this.boost?.readsUser === true || rules?.readsUser === true;
  }

  private readonly readsUser: boolean;

  /** Starts a list. @param node entity that the list is for; -1 for none */
  begin(node: number): void {
    this.work = 0;
    this.rules?.begin();
    this.scope.user = !this.readsUser || node < 0 ? nobody : expressionsOf(this.model).columns.userValues(node);
  }

  /** Whether an item passes the filter and the rules. @throws Problem expression-too-expensive */
  accepts(item: number): boolean {
    const [items, places] = alone;
    items[0] = item;
    places[0] = 0;
    return this.keepPassing(items, places, 1) === 1;
  }

  /** Number of items to test together. */
  get testedTogether(): number {
    return this.filter?.divided.isExpensive === true || this.rules?.isExpensive === true ? 1 : testedTogether;
  }

  /**
   * Keeps the places whose items pass the filter and the rules, in their order.
   * @param places places in `items`, at most `testedTogether`; the first ones are replaced by those that pass
   * @returns number of places that pass
   * @throws Problem expression-too-expensive
   */
  keepPassing(items: Int32Array, places: Int32Array, count: number): number {
    const { filter, rules, scope } = this;
    const left = filter === null ? count : filter.divided.keepPassing(items, places, count, scope, this.budget);
    return rules === null ? left : rules.keepPassing(items, places, left, scope);
  }

  /** The clauses of the filter and of the rules that are not true for an item, with the values of their columns. */
  failedClauses(item: number): FailedClause[] {
    const scope = this.scopeOf(item);
    const own = (this.filter?.clauses ?? []).filter(({ evaluate }) => evaluate(scope) !== true).map((clause) => ({ rule: null, clause }));
    return [...own, ...(this.rules?.failedClauses(scope) ?? [])].map(({ rule, clause: { text, evaluate, columns } }) => ({
      rule, text, value: evaluate(scope), columns: columns.map((column) => ({ text: column.text, value: column.evaluate(scope) })),
    }));
  }

  /** The same expressions without the clauses that are not true for an item. Not begun. */
  relaxedFor(item: number): Steering {
    const scope = this.scopeOf(item);
    const rules = this.rules === null ? null : compileRules(this.model, this.rules.passedBy(scope));
    return new Steering(this.model, { ...this.texts, filter: passedClauses(this.filter, scope) }, rules);
  }

  /** The factor of an item's score: 1 without a boost or with an absent value, otherwise 0 to 1000. */
  factor(item: number): number {
    const own = this.boost === null ? 1 : this.factorOf(this.boost, item);
    return this.rules?.hasBoost === true ? limited(own * this.rules.factor(this.scopeOf(item))) : own;
  }

  /** The factors of the rules, for an item. */
  ruleFactors(item: number): { rule: string; boost: number }[] {
    return this.rules?.factors(this.scopeOf(item)) ?? [];
  }

  private scopeOf(item: number): Scope {
    this.scope.item = item;
    return this.scope;
  }

  private factorOf({ evaluate, work }: Expression, item: number): number {
    this.budget(work, 1);
    const value = evaluate(this.scopeOf(item));
    return typeof value === 'number' ? limited(value) : 1;
  }

  /** @throws Problem expression-too-expensive after too much work */
  private readonly budget = (work: number, items: number): number => {
    this.work += work * items;
    if (this.work <= maxWork) return items;
    throw recommenderErrors.problem(
      'expression-too-expensive',
      `The expressions were evaluated for ${Math.floor(this.work / work)} items and too few of the items passed. Make the expression smaller, or limit the items by entity_type.`,
    );
  };
}

const limited = (factor: number): number => Math.min(maxBoost, Math.max(0, factor));
