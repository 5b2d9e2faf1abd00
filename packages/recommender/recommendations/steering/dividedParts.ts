import type { Expression } from './expressions/expression.ts';
import type { Scope } from './expressions/expressionValue.ts';

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

/** Whether all parts are true. */
export function areTrue(parts: readonly Expression[], scope: Scope): boolean {
  for (const { evaluate } of parts) if (evaluate(scope) !== true) return false;
  return true;
}
