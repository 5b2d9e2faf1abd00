import { encodeUserLists } from './query/userLists.ts';
import { FiledRows } from './lists/listFile.ts';
import type { SparseRows, TrainedModel, WeightedRows } from './data/trainedModel.ts';
import { buildIdIndex, hashBytes } from './modelFile/idIndex.ts';
import { type ModelFacts, modelFormat, modelVersion } from './modelFile/modelLayout.ts';
import { type SectionContent, writeSectionFile } from './modelFile/sectionFile.ts';
import { encodeStrings } from './modelFile/stringTable.ts';
import { encodeRows } from './modelFile/wordRows.ts';

/**
 * Writes a trained model as one file; the same model gives the same bytes. Write to a temporary name and rename.
 * @throws file system errors; Error when the nodes are not in the byte order of their ids
 */
export async function writeModel(model: TrainedModel, path: string): Promise<void> {
  const degree = countCapped(model.history, model.historyCap, model.itemNode.length);
  await writeSectionFile(path, {
    format: modelFormat,
    version: modelVersion,
    facts: { ...modelFacts(model) },
    sections: {
      ...nodeSections(model), ...rowSections(model), ...contentSections(model, degree), ...trendingSections(model),
      // Last: it is made from the others.
      'user.lists': encodeUserLists(model, degree),
    },
  });
}

function modelFacts(model: TrainedModel): ModelFacts {
  return {
    setting: model.setting,
    seed: model.seed,
    types: [...model.types],
    targetTypes: [...model.targetTypes],
    nodes: model.nodes.count,
    items: model.itemNode.length,
    users: model.userNode.length,
    rank: model.rank,
    largestEigenvalue: model.largestEigenvalue,
    historyCap: model.historyCap,
    newest: Number.isNaN(model.newest) ? null : model.newest,
    evaluation: model.evaluation,
  };
}

function nodeSections(model: TrainedModel): Record<string, SectionContent> {
  const { nodes } = model;
  const ids = encodeStrings(nodes.ids);
  const names = encodeStrings(nodes.names);
  const mediaUrls = encodeStrings(nodes.mediaUrls);
  return {
    'node.id.offsets': ids.offsets,
    'node.id.text': ids.text,
    'node.index': indexIds(nodes.ids),
    'node.type': nodes.type,
    'node.item': model.nodeItem,
    'node.user': model.nodeUser,
    'node.name.offsets': names.offsets,
    'node.name.text': names.text,
    'node.media.offsets': mediaUrls.offsets,
    'node.media.text': mediaUrls.text,
    'item.node': model.itemNode,
    'user.node': model.userNode,
  };
}

function indexIds(ids: readonly string[]): Int32Array {
  let previous = Buffer.alloc(0);
  return buildIdIndex(ids.length, (node) => {
    const bytes = Buffer.from(ids[node] ?? '', 'utf8');
    if (node > 0 && previous.compare(bytes) >= 0) throw new Error(`node ${node} is not in the byte order of the ids`);
    previous = bytes;
    return hashBytes(bytes, 0, bytes.length);
  });
}

function rowSections(model: TrainedModel): Record<string, SectionContent> {
  const { history, audience, operator, transitions, related, attributes } = model;
  return {
    'history.pointer': history.pointer,
    'history.rows': history.index,
    'audience.pointer': audience.pointer,
    'audience.rows': audience.index,
    'operator.pointer': operator.pointer,
    'operator.rows': encodeLists(operator, () => [operator.value, operator.score]),
    'transition.pointer': transitions.pointer,
    'transition.rows': encodeLists(transitions, () => [transitions.value]),
    'related.pointer': related.pointer,
    'related.rows': encodeLists(related, () => [related.value, related.score]),
    'attribute.pointer': attributes.pointer,
    'attribute.rows': encodeRows(attributes.pointer, attributes.index, [attributes.value]),
  };
}

/** The section of lists, which may lie in a file as they will in the section. */
function encodeLists(lists: WeightedRows, planes: () => Float32Array[]): SectionContent {
  if (lists instanceof FiledRows) return { type: 'int32', length: lists.words, pieces: () => lists.bytes() };
  return encodeRows(lists.pointer, lists.index, planes());
}

function contentSections(model: TrainedModel, degree: Int32Array): Record<string, SectionContent> {
  const fields = encodeStrings(model.attributes.field);
  const texts = encodeStrings(model.attributes.text);
  return {
    'item.embedding': model.blended ? model.embedding : encodeFactorEmbedding(model),
    'item.contentWeight': model.contentWeight,
    'item.relatedDivisor': model.relatedDivisor,
    'item.degree': degree,
    'item.factorLength': factorLengths(model),
    'user.factors': encodeUserFactors(model, degree),
    eigenvalues: model.eigenvalues,
    'attribute.field.offsets': fields.offsets,
    'attribute.field.text': fields.text,
    'attribute.text.offsets': texts.offsets,
    'attribute.text.text': texts.text,
    'attribute.lift': model.attributes.lift,
    'attribute.ridge': model.ridge,
    'attribute.isCategory': model.attributes.isCategory,
    'attribute.items': countAttributeItems(model.attributes),
  };
}

/** How many items carry each attribute. */
function countAttributeItems(attributes: TrainedModel['attributes']): Int32Array {
  const items = new Int32Array(attributes.field.length);
  for (const attribute of attributes.index) items[attribute] = (items[attribute] ?? 0) + 1;
  return items;
}

/** |E_i| of each item, E_i = V_i sqrt(s2): what the blended embedding no longer tells. */
function factorLengths(model: TrainedModel): Float32Array {
  const { vectors, eigenvalues, rank } = model;
  return Float32Array.from(model.itemNode, (_, item) => {
    let squares = 0;
    for (let k = 0; k < rank; k += 1) squares += (vectors[item * rank + k] ?? 0) ** 2 * (eigenvalues[k] ?? 0);
    return Math.sqrt(squares);
  });
}

/** d_i of the operator: how many users have the item among the latest `cap` of their history. */
function countCapped(history: SparseRows, cap: number, items: number): Int32Array {
  const degree = new Int32Array(items);
  for (let user = 0; user + 1 < history.pointer.length; user += 1) {
    const end = history.pointer[user + 1] ?? 0;
    for (let at = Math.max(history.pointer[user] ?? 0, end - cap); at < end; at += 1) {
      const item = history.index[at] ?? 0;
      degree[item] = (degree[item] ?? 0) + 1;
    }
  }
  return degree;
}

const pieceItems = 16_384;

/** V sqrt(s) piece by piece, for an embedding without content takes as much memory as V itself. */
function encodeFactorEmbedding({ vectors, eigenvalues, rank }: TrainedModel): SectionContent {
  const roots = eigenvalues.map(Math.sqrt);
  function* pieces(): Iterable<Uint8Array> {
    for (let first = 0; first < vectors.length; first += pieceItems * rank) {
      const piece = vectors.slice(first, first + pieceItems * rank);
      for (let place = 0; place < piece.length; place += 1) piece[place] = (piece[place] ?? 0) * (roots[place % rank] ?? 0);
      yield new Uint8Array(piece.buffer);
    }
  }
  return { type: 'float32', length: vectors.length, pieces };
}

const pieceUsers = 4096;

/**
 * Each user's vector r_u D_i^-1/2 V^T, users × rank: its product with e/s is what a cold item is worth to the user, and
 * E_j is a weighted sum of the vectors of the item's users, which the reasons take apart.
 */
function encodeUserFactors(model: TrainedModel, degree: Int32Array): SectionContent {
  const users = model.userNode.length;
  return { type: 'float32', length: users * model.rank, pieces: () => userFactorPieces(model, users, degree) };
}

function* userFactorPieces(model: TrainedModel, users: number, degree: Int32Array): Iterable<Uint8Array> {
  for (let first = 0; first < users; first += pieceUsers) {
    const last = Math.min(users, first + pieceUsers);
    const piece = new Float32Array((last - first) * model.rank);
    const sum = new Float64Array(model.rank);
    for (let user = first; user < last; user += 1) {
      sumVectors(model, user, degree, sum);
      piece.set(sum, (user - first) * model.rank);
    }
    yield new Uint8Array(piece.buffer);
  }
}

function sumVectors(model: TrainedModel, user: number, degree: Int32Array, sum: Float64Array): void {
  const { history, vectors, rank } = model;
  sum.fill(0);
  const end = history.pointer[user + 1] ?? 0;
  for (let at = Math.max(history.pointer[user] ?? 0, end - model.historyCap); at < end; at += 1) {
    const item = history.index[at] ?? 0;
    const weight = (degree[item] ?? 1) ** -0.5;
    for (let k = 0; k < rank; k += 1) sum[k] = (sum[k] ?? 0) + weight * (vectors[item * rank + k] ?? 0);
  }
}

/**
 * Items with a positive trend by type, the strongest first; the group of type t begins at `trending.pointer[t + 1]`
 * (group 0: untyped).
 */
function trendingSections(model: TrainedModel): Record<string, SectionContent> {
  const { trend, itemNode, nodes } = model;
  const typeOf = (item: number) => nodes.type[itemNode[item] ?? 0] ?? -1;
  const items = Int32Array.from(itemNode.keys()).filter((item) => (trend[item] ?? 0) > 0);
  items.sort((a, b) => typeOf(a) - typeOf(b) || (trend[b] ?? 0) - (trend[a] ?? 0) || a - b);
  const pointer = new Float64Array(model.types.length + 2);
  for (const item of items) {
    const group = typeOf(item) + 2;
    pointer[group] = (pointer[group] ?? 0) + 1;
  }
  for (let group = 1; group < pointer.length; group += 1) pointer[group] = (pointer[group] ?? 0) + (pointer[group - 1] ?? 0);
  return {
    'trending.pointer': pointer,
    'trending.rows': items,
    'item.trend': trend,
    'item.rising': model.rising,
  };
}
