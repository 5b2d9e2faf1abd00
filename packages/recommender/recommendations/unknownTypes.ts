import type { ModelReader } from '../engine/modelFile/openModel.ts';

/**
 * The member `unknown_types` of an answer: types of a request that no entity of the model has, most likely misspelt.
 * @returns an object without members if the model has all types
 */
export function unknownTypesMember({ facts }: Pick<ModelReader, 'facts'>, names: readonly string[] = []): { unknown_types?: string[] } {
  const unknown = [...new Set(names)].filter((name) => !facts.types.includes(name));
  return unknown.length === 0 ? {} : { unknown_types: unknown };
}
