import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';
import type { Clause, Expression } from './expressions/expression.ts';
import type { Scope, Value } from './expressions/expressionValue.ts';
import { expressionsOf, nobody } from './compiledExpressions.ts';

/** Maximum estimated number of evaluations of parts of expressions per list. */
const maxWork = 5_000_000;
/** Range of a boost. */
const largestBoost = 1000;

/** The expressions of a request, as given. */
export interface SteeringTexts {
  filter?: string | undefined;
  boost?: string | undefined;
}

/** A clause of a filter that is false for an item, or undefined because a value is absent. */
export interface FailedClause {
  text: string;
  value: Value;
  columns: readonly { text: string; value: Value }[];
}

/** Evaluates the expressions of one request for the items of one list after another. */
export class Steering {
  readonly hasBoost: boolean;
  readonly hasFilter: boolean;
  private readonly model: ModelReader;
  private readonly filter: { evaluate: Expression['evaluate']; work: number; tested: Uint8Array | null; clauses: readonly Clause[] } | null = null;
  private readonly boost: Expression | null = null;
  private readonly scope: Scope = { item: -1, user: nobody, element: undefined };
  private work = 0;

  /** @throws Problem invalid-expression */
  constructor(model: ModelReader, { filter, boost }: SteeringTexts) {
    this.model = model;
    const expressions = expressionsOf(model);
    if (filter !== undefined) {
      const compiled = expressions.filter(filter);
      this.filter = { evaluate: compiled.filter.evaluate, work: compiled.filter.work, tested: compiled.tested, clauses: compiled.filter.clauses };
    }
    if (boost !== undefined) this.boost = expressions.boost(boost);
    this.hasBoost = this.boost !== null;
    this.hasFilter = this.filter !== null;
    this.readsUser = (filter !== undefined && this.filter?.tested === null) || this.boost?.readsUser === true;
  }

  private readonly readsUser: boolean;

  /** Starts a list. @param node entity that the list is for; -1 for none */
  begin(node: number): void {
    this.work = 0;
    this.scope.user = !this.readsUser || node < 0 ? nobody : expressionsOf(this.model).columns.userValues(node);
  }

  /** Whether an item passes the filter. @throws Problem expression-too-expensive */
  accepts(item: number): boolean {
    const { filter } = this;
    if (filter === null) return true;
    const known = filter.tested?.[item] ?? 0;
    if (known > 0) return known === 2;
    const passed = this.evaluate(filter, item) === true;
    if (filter.tested !== null) filter.tested[item] = passed ? 2 : 1;
    return passed;
  }

  /** The clauses of the filter that are not true for an item, with the values of their columns. */
  failedClauses(item: number): FailedClause[] {
    this.scope.item = item;
    return (this.filter?.clauses ?? [])
      .map(({ text, evaluate, columns }) => ({ text, value: evaluate(this.scope), columns: columns.map((column) => ({ text: column.text, value: column.evaluate(this.scope) })) }))
      .filter(({ value }) => value !== true);
  }

  /** The clauses of the filter that are true for an item, as one filter; undefined if there is none. */
  filterPassedBy(item: number): string | undefined {
    this.scope.item = item;
    const passed = (this.filter?.clauses ?? []).filter(({ evaluate }) => evaluate(this.scope) === true);
    return passed.length === 0 ? undefined : passed.map(({ text }) => `(${text})`).join(' && ');
  }

  /** The factor of an item's score: 1 without a boost or with an absent value, otherwise 0 to 1000. */
  factor(item: number): number {
    if (this.boost === null) return 1;
    const value = this.evaluate(this.boost, item);
    return typeof value === 'number' ? Math.min(largestBoost, Math.max(0, value)) : 1;
  }

  private evaluate({ evaluate, work }: Pick<Expression, 'evaluate' | 'work'>, item: number): Value {
    this.work += work;
    if (this.work > maxWork) {
      throw recommenderErrors.problem(
        'expression-too-expensive',
        `The expressions were evaluated for ${Math.floor(this.work / work)} items and too few of the items passed. Make the expression smaller, or limit the items by entity_type.`,
      );
    }
    this.scope.item = item;
    return evaluate(this.scope);
  }
}
