import type { ModelReader } from '../engine/modelFile/openModel.ts';
import type { RecommendationsAnswer } from './recommendation.schema.ts';
import { expressionsOf } from './steering/compiledExpressions.ts';

/**
 * The member `warnings` of an answer: what in the request leaves every list empty.
 * @returns an object without members if there is nothing to warn of
 * @throws Problem invalid-expression
 */
export function warningsMember(model: ModelReader, filter: string | undefined): Pick<RecommendationsAnswer, 'warnings'> {
  const empties = filter === undefined ? null : expressionsOf(model).filter(filter).empties();
  if (empties === null) return {};
  const detail = `${empties[0]?.toUpperCase() ?? ''}${empties.slice(1)} of the model, so no list has an item. Compare it with the metadata of an item: texts are compared exactly, with case and blanks, and a comparison with a missing value is not true.`;
  return { warnings: [{ code: 'unmatched-filter', detail }] };
}
