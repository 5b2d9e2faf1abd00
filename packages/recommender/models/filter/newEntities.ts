import { compileFilter } from '../../expressions/expression.ts';
import { ExpressionFault, type ValueType } from '../../expressions/expressionValue.ts';
import type { FilterSummary } from '../arrays/trainingSnapshot.ts';
import { FilterColumns, type FilteredEntity } from './filterColumns.ts';

/** The filter of a training, with the types that its columns had in the data. */
export interface TrainedFilter {
  text: string;
  columns: FilterSummary['columns'];
}

/**
 * Returns the test whether a training with the filter would keep a new item, by the clauses that do not read `user.…`. An expression that a later version
 * of Vouch cannot compile accepts no new item; the next training reports the fault.
 */
export function testNewItems(filter: TrainedFilter | null): (entity: FilteredEntity) => boolean {
  if (filter === null) return () => true;
  const types = (prefix: string) => new Map(Object.entries(filter.columns).filter(([name]) => name.startsWith(prefix)).map(([name, type]): [string, ValueType] => [name.slice(prefix.length), type]));
  const columns = new FilterColumns({ item: types('item.'), user: types('user.'), omitted: new Map() });
  try {
    const clauses = compileFilter(filter.text, columns).clauses.filter(({ readsUser }) => !readsUser);
    const scope = { item: 0, user: new Map(), element: undefined };
    return (entity) => {
      columns.clear();
      columns.addItem(0, entity);
      return clauses.every(({ evaluate }) => evaluate(scope) === true);
    };
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return () => false;
  }
}
