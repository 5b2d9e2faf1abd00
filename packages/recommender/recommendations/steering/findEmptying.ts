import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import type { Clause } from '../../expressions/expression.ts';
import type { Scope } from '../../expressions/expressionValue.ts';
import { nobody } from './nobody.ts';

/** Maximum estimated number of evaluations for the search of an item that passes a filter, about 10 ms: events change the columns often, and each change needs a new search. */
const surveyWork = 500_000;

/** What of a model decides how many items it has. */
export type ItemNumbers = Pick<ModelReader, 'facts' | 'added'>;

/** Numbers of the items that lists may contain. A model with room for items that arrived after its training has numbers of items that do not exist. */
export function* numbersOf({ facts, added }: ItemNumbers): Generator<number> {
  const trained = added === null ? facts.items : added.firstItem;
  for (let item = 0; item < trained; item += 1) yield item;
  if (added !== null) for (let item = trained; item < facts.items; item += 1) if (added.isListed(item)) yield item;
}

/**
 * Searches an item that passes a filter.
 * @returns words for the part of the filter that is true for no item; null if an item passes, or if that depends on the user or takes too much work to know
 */
export function findEmptying(model: ItemNumbers, clauses: readonly Clause[]): string | null {
  const own = clauses.filter(({ readsUser }) => !readsUser);
  if (own.length === 0 || own.reduce((sum, { work }) => sum + work, 0) * model.facts.items > surveyWork) return null;
  const scope: Scope = { item: -1, user: nobody, element: undefined };
  const numbers = [...numbersOf(model)];
  const isTrueOfOne = (tested: readonly Clause[]): boolean => numbers.some((item) => {
    scope.item = item;
    return tested.every(({ evaluate }) => evaluate(scope) === true);
  });
  if (numbers.length === 0 || isTrueOfOne(own)) return null;
  const clause = own.find((each) => !isTrueOfOne([each]));
  return `${clause === undefined ? 'the filter' : `\`${clause.text}\` in the filter`} is true for none of ${numbers.length} items`;
}
