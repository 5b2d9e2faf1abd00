import { numberItems, type Catalogue } from '../../engine/catalogue/numberItems.ts';
import { surveyColumns } from '../../engine/columns/surveyColumns.ts';
import type { TrainingData } from '../../engine/data/trainingData.ts';
import { compileFilter, type Clause } from '../../expressions/expression.ts';
import type { Scope, Value } from '../../expressions/expressionValue.ts';
import type { FilterSummary } from '../arrays/trainingSnapshot.ts';
import { FilterColumns, type ColumnTypes, type FilteredEntity } from './filterColumns.ts';
import { keepNodes } from './keepNodes.ts';

/** Maximum estimated number of evaluations of parts of the filter, about a minute of a processor. */
const maxWork = 2e9;

/** A filter that would take too long for the data. */
export class FilterTooExpensive extends Error {}

/**
 * Leaves out the items for which the filter is not true, and the pairs whose target is left out or for which the filter is not true: `item.…` is the target,
 * `user.…` the source. Clauses without `user.…` decide on items, also on those without interactions; the others on pairs. Ids without an entity row that
 * occur in no remaining pair are left out too.
 * @param maxEvaluations maximum estimated number of evaluations of parts of the filter
 * @throws ExpressionFault if the filter does not fit the columns
 * @throws FilterTooExpensive
 */
export function filterData(data: TrainingData, text: string, maxEvaluations = maxWork): { data: TrainingData; filter: FilterSummary } {
  const catalogue = numberItems(data);
  const columns = new FilterColumns(typesOf(data, catalogue));
  const { clauses } = compileFilter(text, columns);
  const ofItems = clauses.filter(({ readsUser }) => !readsUser);
  const ofPairs = clauses.filter(({ readsUser }) => readsUser);
  const pairs = data.pairs.count + (data.dislikes?.count ?? 0);
  const work = catalogue.itemNode.length * workOf(ofItems) + pairs * workOf(ofPairs);
  if (work > maxEvaluations) {
    throw new FilterTooExpensive(`The filter would take about ${work} evaluations of its parts for ${catalogue.itemNode.length} items and ${pairs} pairs; at most ${maxEvaluations} are allowed. Make it smaller.`);
  }
  const kept = new Uint8Array(data.nodes.count).fill(1);
  const scope: Scope = { item: -1, user: new Map(), element: undefined };
  for (const node of catalogue.itemNode) {
    columns.addItem(node, entityOf(data, node));
    scope.item = node;
    if (!passes(ofItems, scope)) kept[node] = 0;
  }
  const likes = keptPairs(data, data.pairs, kept, ofPairs, columns);
  const dislikes = data.dislikes === undefined ? undefined : keptPairs(data, data.dislikes, kept, ofPairs, columns);
  const filtered = keepNodes(data, kept, { likes, dislikes });
  return {
    data: filtered,
    filter: {
      entities: entityRows(data) - entityRows(filtered),
      interactions: pairs - likes.length - (dislikes?.length ?? 0),
      columns: columns.named(),
    },
  };
}

function typesOf({ nodes }: TrainingData, { itemNode, nodeItem }: Catalogue): ColumnTypes {
  const { columns, omitted } = surveyColumns(textsOf(nodes.metadata, itemNode));
  const users = surveyColumns(nodes.metadata.filter((_, node) => (nodeItem[node] ?? -1) < 0)).columns;
  const types = (facts: typeof columns) => facts.map(({ name, type }) => [name, type] as const);
  return {
    item: new Map(types(columns)),
    // An item can be a source too, and its columns are then read as user.…
    user: new Map([...types(columns), ...types(users)]),
    omitted: new Map(omitted.map(({ name, reason }) => [name, reason])),
  };
}

function* textsOf(metadata: readonly string[], nodes: Int32Array): Iterable<string> {
  for (const node of nodes) yield metadata[node] ?? '';
}

const workOf = (clauses: readonly Clause[]): number => clauses.reduce((sum, { work }) => sum + work, 0);

/** An absent value is not true. */
function passes(clauses: readonly Clause[], scope: Scope): boolean {
  return clauses.every(({ evaluate }) => evaluate(scope) === true);
}

function entityOf({ types, nodes }: TrainingData, node: number): FilteredEntity {
  return { id: nodes.ids[node] ?? '', type: types[nodes.type[node] ?? -1], name: nodes.names[node] ?? '', metadata: nodes.metadata[node] ?? '' };
}

/** Places of the pairs that remain. Pairs are sorted by source, so the values of each source are read once. */
function keptPairs(data: TrainingData, pairs: { count: number; source: Int32Array; target: Int32Array }, kept: Uint8Array, clauses: readonly Clause[], columns: FilterColumns): Int32Array {
  const places = new Int32Array(pairs.count);
  const scope: Scope = { item: -1, user: new Map<string, Value>(), element: undefined };
  let [count, last] = [0, -1];
  for (let pair = 0; pair < pairs.count; pair += 1) {
    const [source = 0, target = 0] = [pairs.source[pair], pairs.target[pair]];
    if (kept[source] === 0 || kept[target] === 0) continue;
    if (clauses.length > 0 && source !== last) {
      scope.user = columns.userValues(entityOf(data, source));
      last = source;
    }
    scope.item = target;
    if (passes(clauses, scope)) places[count++] = pair;
  }
  return places.slice(0, count);
}

function entityRows({ nodes }: TrainingData): number {
  return nodes.type.reduce((rows, type) => rows + (type < 0 ? 0 : 1), 0);
}
