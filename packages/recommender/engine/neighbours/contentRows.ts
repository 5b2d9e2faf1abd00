import { growingFloats, growingIntegers } from '../matrix/growingArray.ts';
import { relatedLimit } from './relatedLists.ts';
import type { ContentIndex } from './contentIndex.ts';
import type { ScoredRows } from '../lists/listRows.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/**
 * Related items of a catalogue without interactions: the 100 items of the same type with the largest idf-weighted cosine of
 * their attributes. The cosine is both the ranking value and the score.
 */
export function contentRows(content: ContentIndex, items: number, meter: ProgressMeter): ScoredRows {
  const pointer = new Float64Array(items + 1);
  const index = growingIntegers();
  const value = growingFloats();
  for (let item = 0; item < items; item++) {
    const count = content.search(item, relatedLimit);
    for (let place = 0; place < count; place++) {
      index.push(content.found[place] as number);
      value.push(content.cosine[place] as number);
    }
    pointer[item + 1] = index.length;
    meter.advance(1);
  }
  const values = value.take();
  return { pointer, index: index.take(), value: values, score: values.slice() };
}
