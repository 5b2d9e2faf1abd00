import type { Expression } from '../../expressions/expression.ts';
import type { Scope } from '../../expressions/expressionValue.ts';

/** Parts of expressions, without and with a user, and the work of one evaluation of each group. */
export interface DividedParts {
  ofItem: readonly Expression[];
  ofUser: readonly Expression[];
  workOfItem: number;
  workOfUser: number;
}

/** Divides parts, so that the results of those without a user can be kept by item. */
export function divideParts(parts: readonly Expression[]): DividedParts {
  const ofItem = parts.filter(({ readsUser }) => !readsUser);
  const ofUser = parts.filter(({ readsUser }) => readsUser);
  return { ofItem, ofUser, workOfItem: workOf(ofItem), workOfUser: workOf(ofUser) };
}

const workOf = (parts: readonly Expression[]): number => parts.reduce((sum, { work }) => sum + work, 0);

/** Clauses that must all be true. The results of the clauses without a user are kept by item. */
export class DividedFilter {
  readonly readsUser: boolean;
  private readonly parts: DividedParts;
  /** By item: 0 if not tested, otherwise 1 (rejected) or 2 (passed) by the clauses without a user. */
  private readonly tested: Uint8Array;

  /** @param items number of items of the model */
  constructor(clauses: readonly Expression[], items: number) {
    this.parts = divideParts(clauses);
    this.readsUser = this.parts.ofUser.length > 0;
    this.tested = new Uint8Array(this.parts.ofItem.length === 0 ? 0 : items);
  }

  /**
   * Whether all clauses are true for the item of the scope.
   * @param mayWork receives the work of clauses before their evaluation; if it returns false, the item does not pass
   */
  passes(scope: Scope, mayWork: (work: number) => boolean): boolean {
    const { ofItem, ofUser, workOfItem, workOfUser } = this.parts;
    if (ofItem.length > 0) {
      let known = this.tested[scope.item] ?? 0;
      if (known === 0) {
        if (!mayWork(workOfItem)) return false;
        known = areTrue(ofItem, scope) ? 2 : 1;
        this.tested[scope.item] = known;
      }
      if (known === 1) return false;
    }
    return ofUser.length === 0 || (mayWork(workOfUser) && areTrue(ofUser, scope));
  }
}

function areTrue(parts: readonly Expression[], scope: Scope): boolean {
  for (const { evaluate } of parts) if (evaluate(scope) !== true) return false;
  return true;
}
