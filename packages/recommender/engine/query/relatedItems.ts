import type { ModelReader } from '../modelFile/openModel.ts';
import type { Row } from '../modelFile/wordRows.ts';
import type { TypeFilter } from './listOptions.ts';
import type { TypeLists } from './mergeTypes.ts';

/**
 * Collects the stored related items of an item, one list per allowed type.
 * @param hidden 1 for each item to leave out; null for none
 */
export function collectRelated(model: ModelReader, item: number, types: TypeFilter, row: Row, lists: TypeLists, hidden: Uint8Array | null = null): void {
  model.related.read(item, row);
  const { ints, floats, start, count } = row;
  let previous = -2;
  for (let at = 0; at < count; at += 1) {
    const related = ints[start + at] ?? 0;
    const type = model.typeOfItem(related);
    if (type !== previous) {
      lists.endList();
      previous = type;
    }
    if (types[type + 1] !== 1 || related === item || hidden?.[related] === 1) continue;
    lists.entries.push(related, floats[start + 2 * count + at] ?? 0, floats[start + count + at] ?? 0);
  }
  lists.endList();
}
