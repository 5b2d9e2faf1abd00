import type { ModelReader } from '../modelFile/openModel.ts';

/** Limits of a list: item types (null for the default types), number of items, and the smallest score. */
export interface ListOptions {
  types: TypeFilter | null;
  limit: number;
  threshold: number;
}

/** Allowed types: `filter[type + 1]` is 1; index 0 is for items without a type. */
export type TypeFilter = Uint8Array;

/**
 * Returns the filter that allows the named types; null if no type is named. Names that the model does not know allow nothing.
 */
export function filterTypes(model: ModelReader, names: readonly string[] = []): TypeFilter | null {
  if (names.length === 0) return null;
  const filter = new Uint8Array(model.facts.types.length + 1);
  for (const name of names) {
    const type = model.facts.types.indexOf(name);
    if (type >= 0) filter[type + 1] = 1;
  }
  return filter;
}

/**
 * Types that are recommended if the request names no type: the types of interaction targets. In a model without interactions:
 * the source's own type, or every type if the list has no source (`sourceType` null).
 */
export function defaultTypes(model: { facts: Pick<ModelReader['facts'], 'types' | 'targetTypes'> }, sourceType: number | null): TypeFilter {
  const { types, targetTypes } = model.facts;
  const filter = new Uint8Array(types.length + 1);
  if (targetTypes.length > 0) for (const type of targetTypes) filter[type + 1] = 1;
  else if (sourceType === null) filter.fill(1);
  else filter[sourceType + 1] = 1;
  return filter;
}

/** Whether two filters of the same model allow the same types. */
export function isSameFilter(one: TypeFilter, other: TypeFilter): boolean {
  return one === other || one.every((allowed, type) => allowed === other[type]);
}
