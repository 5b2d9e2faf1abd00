import { AttributeSink, type AttributeText } from './attributeSink.ts';
import { GrowingArray } from '../../matrix/growingArray.ts';
import { sharedDoubles, sharedIntegers } from '../../matrix/sharedArrays.ts';
import { binNumbers } from './binNumbers.ts';
import { parseMetadata } from './parseMetadata.ts';
import type { SparseRows } from '../../data/trainedModel.ts';
import type { TrainingData } from '../../data/trainingData.ts';

/** Maximum number of columns, most frequent first: the ridge regression needs four arrays of 128 doubles per column. */
const maxColumns = 30_000;

/** Sparse items × attributes matrix with ascending columns in each row, and the meaning of each column. */
export interface Attributes {
  rows: SparseRows;
  field: string[];
  text: string[];
  /** 1 for a whole value (`genres=Drama`), 0 for a word of a text or a range of numbers. */
  isCategory: Uint8Array;
}

/**
 * Reads the attributes of the items: one column per `field=value` up to 64 characters, one column per word of names and
 * longer texts, and ten quantile bins per numeric field. Attributes of a single item are omitted, because they connect no
 * items.
 */
export function readAttributes(nodes: TrainingData['nodes'], itemNode: Int32Array): Attributes {
  const items = itemNode.length;
  const sink = new AttributeSink(items);
  for (let item = 0; item < items; item++) {
    const node = itemNode[item] as number;
    sink.begin(item);
    parseMetadata(sink, nodes.names[node] ?? '', nodes.metadata[node] ?? '');
    sink.end();
  }
  const binned = binnedNumbers(sink, items);
  const texts = [...sink.texts, ...binned.texts];
  const entries = sink.entries.take();
  const used = new Int32Array(texts.length);
  for (const attribute of entries) used[attribute] = (used[attribute] as number) + 1;
  for (const list of binned.ofItem.values()) {
    for (const attribute of list) used[attribute] = (used[attribute] as number) + 1;
  }
  const columns = Array.from(used.keys())
    .filter((attribute) => (used[attribute] as number) >= 2)
    .sort((a, b) => (used[b] as number) - (used[a] as number) || a - b)
    .slice(0, maxColumns)
    .sort((a, b) => a - b);
  const columnOf = new Int32Array(texts.length).fill(-1);
  columns.forEach((attribute, column) => (columnOf[attribute] = column));

  const index = new GrowingArray(sharedIntegers);
  const pointer = sharedDoubles(items + 1);
  let start = 0;
  for (let item = 0; item < items; item++) {
    const end = sink.itemEnd[item] as number;
    const own = [...entries.subarray(start, end), ...(binned.ofItem.get(item) ?? [])];
    for (const column of own.map((attribute) => columnOf[attribute] as number).sort((a, b) => a - b)) {
      if (column >= 0) index.push(column);
    }
    pointer[item + 1] = index.length;
    start = end;
  }
  const kept = columns.map((attribute) => texts[attribute] as AttributeText);
  return {
    rows: { pointer, index: index.take() },
    field: kept.map(({ field }) => field),
    text: kept.map(({ text }) => text),
    isCategory: Uint8Array.from(kept, ({ kind }) => (kind === 'value' ? 1 : 0)),
  };
}

interface BinnedNumbers {
  texts: AttributeText[];
  /** Distinct attribute numbers of each item that has numbers. */
  ofItem: Map<number, Set<number>>;
}

function binnedNumbers(sink: AttributeSink, items: number): BinnedNumbers {
  const texts: BinnedNumbers['texts'] = [];
  const ofItem: BinnedNumbers['ofItem'] = new Map();
  for (const numbers of sink.numeric.values()) {
    const { bin, text } = binNumbers(numbers);
    const first = sink.texts.length + texts.length;
    for (const of of text) texts.push({ kind: 'number', field: numbers.field, text: of });
    numbers.items.forEach((item, place) => {
      if (item >= items) return;
      const own = ofItem.get(item) ?? new Set<number>();
      own.add(first + (bin[place] as number));
      ofItem.set(item, own);
    });
  }
  return { texts, ofItem };
}
