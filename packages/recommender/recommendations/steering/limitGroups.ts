import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';
import { compileFilter } from '../../expressions/expression.ts';
import { ExpressionFault, type Value } from '../../expressions/expressionValue.ts';
import { expressionsOf } from './compiledExpressions.ts';
import type { Entry } from './entry.ts';

/** At most `limit` items with the same value of a column. */
export interface GroupLimit {
  read: (item: number) => Value;
  limit: number;
}

/** @throws Problem invalid-expression if the model has no such column */
export function groupLimit(model: ModelReader, column: string, limit: number): GroupLimit {
  const { columns } = expressionsOf(model);
  const found = columns.item(column);
  if (found !== null) return { read: found.read, limit };
  let detail = `The model has no column ${JSON.stringify(column)}.`;
  try {
    compileFilter(`has(item[${JSON.stringify(column)}])`, columns);
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    detail = `per_group.column cannot be used: ${error.message}.`;
  }
  throw recommenderErrors.problem('invalid-expression', detail, { errors: [{ location: '/per_group/column', detail }] });
}

/** Leaves out items whose group is full. Items without a value are in no group. */
export function limitGroups(entries: readonly Entry[], { read, limit }: GroupLimit): Entry[] {
  const counts = new Map<unknown, number>();
  return entries.filter(({ item }) => {
    const value = read(item);
    const groups: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
    if (groups.some((group) => (counts.get(group) ?? 0) >= limit)) return false;
    for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
    return true;
  });
}
