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

/** Number of items that a filter tests together. */
export const testedTogether = 32;
/** Work of a filter from which items are tested one by one, so that little work is for items after the last one of the list. */
const expensive = 1_000;

/** The items that a call evaluates; a call never begins within another. */
const fresh = new Int32Array(testedTogether);
const evaluated = new Int32Array(testedTogether);

/**
 * Allows the evaluation of clauses for some items, each with the same work, before it is done.
 * @returns number of items, from the first, for which they may be evaluated
 */
export type WorkBudget = (work: number, items: number) => number;

/** Clauses that must all be true. The results of the clauses without a user are kept by item. */
export class DividedFilter {
  readonly readsUser: boolean;
  readonly isExpensive: boolean;
  private readonly parts: DividedParts;
  /** By item: 0 if not tested, otherwise 1 (rejected) or 2 (passed) by the clauses without a user. */
  private readonly tested: Uint8Array;

  /** @param items number of items of the model */
  constructor(clauses: readonly Expression[], items: number) {
    this.parts = divideParts(clauses);
    this.readsUser = this.parts.ofUser.length > 0;
    this.isExpensive = this.parts.workOfItem + this.parts.workOfUser > expensive;
    this.tested = new Uint8Array(this.parts.ofItem.length === 0 ? 0 : items);
  }

  /**
   * Keeps the places whose items pass all clauses, in their order. Each clause is evaluated for all items before the next clause: the values of items next to each other in
   * a list are far apart in memory, and a loop over one column waits for several of them at the same time.
   * @param places places in `items`, at most `testedTogether`; the first ones are replaced by those that pass
   * @param scope its user is the user of the list
   * @param budget allows the work before it is done; items that it does not allow do not pass
   * @returns number of places that pass
   */
  keepPassing(items: Int32Array, places: Int32Array, count: number, scope: Scope, budget: WorkBudget): number {
    const { ofItem, ofUser, workOfUser } = this.parts;
    const left = ofItem.length === 0 ? count : this.keepTested(items, places, count, scope, budget);
    if (ofUser.length === 0 || left === 0) return left;
    for (let at = 0; at < left; at += 1) fresh[at] = items[places[at] ?? 0] ?? 0;
    return keepTrue(ofUser, scope, budget(workOfUser, left), places);
  }

  private keepTested(items: Int32Array, places: Int32Array, count: number, scope: Scope, budget: WorkBudget): number {
    const { tested } = this;
    const { ofItem, workOfItem } = this.parts;
    let untested = 0;
    for (let at = 0; at < count; at += 1) {
      const item = items[places[at] ?? 0] ?? 0;
      fresh[untested] = item;
      if (tested[item] === 0) untested += 1;
    }
    const allowed = untested === 0 ? 0 : budget(workOfItem, untested);
    evaluated.set(fresh);
    const passed = keepTrue(ofItem, scope, allowed, null);
    for (let at = 0; at < allowed; at += 1) tested[evaluated[at] ?? 0] = 1;
    for (let at = 0; at < passed; at += 1) tested[fresh[at] ?? 0] = 2;
    let left = 0;
    for (let at = 0; at < count; at += 1) {
      const place = places[at] ?? 0;
      places[left] = place;
      if (tested[items[place] ?? 0] === 2) left += 1;
    }
    return left;
  }
}

/** Keeps those of the first `count` fresh items, and their places, for which all parts are true. @returns their number */
function keepTrue(parts: readonly Expression[], scope: Scope, count: number, places: Int32Array | null): number {
  let left = count;
  for (const { evaluate } of parts) {
    let kept = 0;
    for (let at = 0; at < left; at += 1) {
      const item = fresh[at] ?? 0;
      scope.item = item;
      fresh[kept] = item;
      if (places !== null) places[kept] = places[at] ?? 0;
      if (evaluate(scope) === true) kept += 1;
    }
    left = kept;
  }
  return left;
}
