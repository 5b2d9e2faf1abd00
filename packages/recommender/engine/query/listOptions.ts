import type { ModelReader } from '../modelFile/openModel.ts';

/** What a list may hold: item types (null: the default ones), how many items, and the least score. */
export interface ListOptions {
  types: TypeFilter | null;
  limit: number;
  threshold: number;
}

/** Allowed types: `filter[type + 1]` is 1; place 0 stands for items without a type. */
export type TypeFilter = Uint8Array;

/** The filter that allows the named types, null where none is named; names that the model does not know allow nothing. */
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
 * The types recommended when none are asked for: those that occur as interaction targets; in a model without
 * interactions the source's own, or every type for lists without a source (`sourceType` null).
 */
export function defaultTypes(model: { facts: Pick<ModelReader['facts'], 'types' | 'targetTypes'> }, sourceType: number | null): TypeFilter {
  const { types, targetTypes } = model.facts;
  const filter = new Uint8Array(types.length + 1);
  if (targetTypes.length > 0) for (const type of targetTypes) filter[type + 1] = 1;
  else if (sourceType === null) filter.fill(1);
  else filter[sourceType + 1] = 1;
  return filter;
}

/** Whether two filters of one model allow the same types. */
export function isSameFilter(one: TypeFilter, other: TypeFilter): boolean {
  return one === other || one.every((allowed, type) => allowed === other[type]);
}
