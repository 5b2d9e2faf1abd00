import { sharedIntegers } from '../matrix/sharedArrays.ts';
import type { Workspace } from '../kernels/workspace.ts';
import type { UserModel } from './userModel.ts';
import type { TrainedModel } from '../data/trainedModel.ts';
import { FileWords, Readahead, sectionPlace, type SectionPlace } from './fileWords.ts';
import { HotTable, loadHotRows, type HotRows, type SharedTable } from './hotRows.ts';
import type { SectionFile } from './sectionFile.ts';
import { Row, RowTable, type WordSource } from './wordRows.ts';

/**
 * The parts of a model that threads need to compute the lists of its users. Arrays are in shared memory, other parts in the
 * model's file.
 */
export interface SharedModel {
  facts: UserModel['facts'];
  degree: Int32Array;
  eigenvalues: Float64Array;
  leadsToCold: Uint8Array | null;
  /** Type of each item, -1 for none. */
  itemType: Int32Array;
  history: SharedTable;
  historyWeights: SharedTable | null;
  dislikes: SharedTable | null;
  operator: SharedTable;
  related: SharedTable;
  transitions: SharedTable;
  hot: HotRows;
  /** Position in the file, or the array itself if it is in shared memory. */
  embedding: SectionPlace | Float32Array;
  userFactors: SectionPlace;
}

/**
 * Collects the parts that `WrittenModel` reads from a model and its file. The file must already contain the sections of rows
 * and factors.
 * @param degree number of users that have each item among the latest of their history
 * @param workspace workspace whose idle memory may be used for rows
 */
export function shareModel(model: TrainedModel, degree: Int32Array, written: SectionFile, workspace: Workspace | null): SharedModel {
  const { nodes, itemNode, rank, blended } = model;
  const table = (name: string, pointer: Float64Array, planes: number): SharedTable => ({
    place: sectionPlace(written, `${name}.rows`, 'int32'), pointer: shared(pointer), planes,
  });
  const { weight, disliked } = model.history;
  const history = table('history', model.history.pointer, 0);
  const operator = table('operator', model.operator.pointer, 2);
  const transitions = table('transition', model.transitions.pointer, 1);
  const related = table('related', model.related.pointer, 2);
  return {
    facts: { setting: model.setting, items: itemNode.length, rank },
    degree: shared(degree),
    eigenvalues: model.eigenvalues,
    leadsToCold: rank > 0 && degree.includes(0) ? markLeading(related, degree) : null,
    itemType: shared(Int32Array.from(itemNode, (node) => nodes.type[node] ?? -1)),
    history,
    historyWeights: weight === undefined
      ? null
      : { place: sectionPlace(written, 'history.weights', 'float32'), pointer: history.pointer, planes: 0 },
    dislikes: disliked === undefined ? null : table('dislike', disliked.pointer, 1),
    operator,
    related,
    transitions,
    hot: loadHotRows([operator, transitions], degree, workspace),
    embedding: blended && isShared(model.embedding) ? model.embedding : sectionPlace(written, 'item.embedding', 'float32'),
    userFactors: sectionPlace(written, 'user.factors', 'float32'),
  };
}

/** Marks items whose related items include items without users; only a few of ten million pairs do. */
function markLeading(related: SharedTable, degree: Int32Array): Uint8Array {
  const leads = new Uint8Array(new SharedArrayBuffer(degree.length));
  const table = new RowTable(related.pointer, new Readahead(related.place, 2 ** 20), related.planes);
  const row = new Row();
  for (let item = 0; item < degree.length; item += 1) {
    table.read(item, row);
    const { ints, start, count } = row;
    for (let at = start; at < start + count; at += 1) if (degree[ints[at] ?? 0] === 0) leads[item] = 1;
  }
  return leads;
}

const isShared = (array: ArrayBufferView): boolean => array.buffer instanceof SharedArrayBuffer;

function shared<Numbers extends Int32Array | Float64Array>(array: Numbers): Numbers;
function shared(array: Int32Array | Float64Array): Int32Array | Float64Array {
  if (isShared(array)) return array;
  const copy = array instanceof Int32Array ? sharedIntegers(array.length) : new Float64Array(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
}

/** The model as read by one thread, which must visit users in ascending order. */
export class WrittenModel implements UserModel {
  readonly facts: UserModel['facts'];
  readonly degree: Int32Array;
  readonly eigenvalues: Float64Array;
  readonly leadsToCold: Uint8Array | null;
  readonly added = null;
  readonly history: RowTable;
  readonly historyWeights: RowTable | null;
  readonly dislikes: RowTable | null;
  readonly operator: RowTable;
  readonly related: RowTable;
  readonly transitions: RowTable;
  private readonly itemType: Int32Array;
  private readonly embeddings: WordSource;
  private readonly userFactors: WordSource;

  constructor(model: SharedModel) {
    const { history, operator, transitions, related, hot, embedding } = model;
    this.facts = model.facts;
    this.degree = model.degree;
    this.eigenvalues = model.eigenvalues;
    this.leadsToCold = model.leadsToCold;
    this.itemType = model.itemType;
    const inOrder = (from: SharedTable): RowTable => new RowTable(from.pointer, new Readahead(from.place), from.planes);
    this.history = inOrder(history);
    this.historyWeights = model.historyWeights === null ? null : inOrder(model.historyWeights);
    this.dislikes = model.dislikes === null ? null : inOrder(model.dislikes);
    this.operator = new HotTable(operator, new FileWords(operator.place), hot, []);
    this.transitions = new HotTable(transitions, new FileWords(transitions.place), hot, [operator]);
    this.related = new RowTable(related.pointer, new FileWords(related.place), related.planes);
    this.embeddings = embedding instanceof Float32Array ? residentFloats(embedding) : new FileWords(embedding);
    this.userFactors = new Readahead(model.userFactors);
  }

  typeOfItem(item: number): number {
    return this.itemType[item] ?? -1;
  }

  readEmbedding(item: number, row: Row): void {
    row.fill(this.embeddings, item * this.facts.rank, this.facts.rank, 0);
  }

  readUserFactor(user: number, row: Row): void {
    row.fill(this.userFactors, user * this.facts.rank, this.facts.rank, 0);
  }
}

function residentFloats(floats: Float32Array): WordSource {
  const { buffer, byteOffset, length } = floats;
  return { resident: { ints: new Int32Array(buffer, byteOffset, length), floats }, read: () => undefined };
}
