import { readModel } from '../modelFile/openModel.ts';
import type { SectionContent, SectionFile } from '../modelFile/sectionFile.ts';
import { numberListed, scoreUnits, storedListLength, storedListLimit } from '../modelFile/storedLists.ts';
import type { TrainedModel } from '../trainedModel.ts';
import { Recommender } from './recommender.ts';

/** What the sections that are read for it may take of the training's memory; the rest comes from the page cache. */
const memoryBytes = 64 * 2 ** 20;
const pieceRows = 4096;

/**
 * The section of the users' stored lists, 800 bytes a user. They are made by asking the model itself, whose other sections
 * have been written by then, so that they are what it would answer, and are never in memory as a whole.
 */
export function encodeUserLists(model: TrainedModel): SectionContent {
  const { rows } = numberListed(model.userNode, model.nodeItem);
  const length = rows * 2 * storedListLength(model.itemNode.length);
  return { type: 'int32', length, pieces: (written) => (length === 0 ? [] : listPieces(written)) };
}

async function* listPieces(written: SectionFile): AsyncGenerator<Uint8Array> {
  const model = await readModel(written, { memoryBytes, storedLists: false, transitions: true });
  const recommender = new Recommender(model);
  const length = storedListLength(model.facts.items);
  const listed = model.userNode.filter((node) => (model.nodeItem[node] ?? -1) < 0);
  for (let first = 0; first < listed.length; first += pieceRows) {
    const nodes = listed.subarray(first, first + pieceRows);
    const piece = new Int32Array(nodes.length * 2 * length);
    nodes.forEach((node, at) => encodeList(recommender, node, piece.subarray(at * 2 * length, (at + 1) * 2 * length)));
    yield new Uint8Array(piece.buffer);
  }
}

function encodeList(recommender: Recommender, node: number, row: Int32Array): void {
  const length = row.length / 2;
  const { kind, count, item, score } = recommender.recommend(node, { types: null, limit: storedListLimit, threshold: 0 });
  // Trending items change with the types that are asked for and are quick to list.
  const listed = kind === 'history' ? count : 0;
  for (let rank = 0; rank < listed; rank += 1) {
    row[rank] = item[rank] ?? -1;
    row[length + rank] = Math.round((score[rank] ?? 0) * scoreUnits);
  }
  row.fill(-1, listed, length);
}
