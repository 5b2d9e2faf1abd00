import { encodeUserLists } from './query/userLists.ts';
import { FiledRows } from './lists/listFile.ts';
import { encodeColumns } from './columns/encodeColumns.ts';
import type { ColumnFacts } from './data/column.ts';
import type { SparseRows, TrainedModel, WeightedRows } from './data/trainedModel.ts';
import { buildIdIndex, hashBytes } from './modelFile/idIndex.ts';
import { type ModelFacts, modelFormat, modelVersion } from './modelFile/modelLayout.ts';
import { type SectionContent, writeSectionFile } from './modelFile/sectionFile.ts';
import { encodeStrings } from './modelFile/stringTable.ts';
import { encodeRows } from './modelFile/wordRows.ts';
import { relatedFormula } from './neighbours/relatedFormula.ts';

/**
 * Writes a trained model as one file; equal models give equal bytes. The caller writes to a temporary path and renames the
 * complete file.
 * @param path path of the file to write
 * @throws file system errors; Error if the nodes are not in the byte order of their ids
 */
export async function writeModel(model: TrainedModel, path: string): Promise<void> {
  const degree = countCapped(model.history, model.historyCap, model.itemNode.length);
  const columns = encodeColumns({ metadata: model.nodes.metadata, itemNode: model.itemNode, nodeItem: model.nodeItem });
  await writeSectionFile(path, {
    format: modelFormat,
    version: modelVersion,
    facts: { ...modelFacts(model, columns.facts) },
    sections: {
      ...nodeSections(model), ...rowSections(model), ...contentSections(model, degree), ...trendingSections(model), ...columns.sections,
      // Must be last, because the user lists are computed from the other sections.
      'user.lists': encodeUserLists(model, degree),
    },
  });
}

function isWeighted({ history }: TrainedModel): boolean {
  return history.weight !== undefined || history.disliked !== undefined;
}

function modelFacts(model: TrainedModel, columns: ColumnFacts): ModelFacts {
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
    columns,
    related: relatedFormula,
    ...(model.cosineScores === undefined ? {} : { cosineScores: model.cosineScores }),
    ...(model.contentScores === undefined ? {} : { contentScores: model.contentScores }),
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
    ...(isWeighted(model) ? weightSections(history) : {}),
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

/** Weights of the histories' entries, none if all are 1, and the rows of dislikes. */
function weightSections({ pointer, weight, disliked }: TrainedModel['history']): Record<string, SectionContent> {
  const rows = disliked ?? { pointer: new Float64Array(pointer.length), index: new Int32Array(0), value: new Float32Array(0) };
  return {
    'history.weights': weight ?? new Float32Array(0),
    'dislike.pointer': rows.pointer,
    'dislike.rows': encodeRows(rows.pointer, rows.index, [rows.value]),
  };
}

/** The section of a row table. Lists in a file already have the section's byte format and are copied as they are. */
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

/** Number of items with each attribute. */
function countAttributeItems(attributes: TrainedModel['attributes']): Int32Array {
  const items = new Int32Array(attributes.field.length);
  for (const attribute of attributes.index) items[attribute] = (items[attribute] ?? 0) + 1;
  return items;
}

/**
 * Length |E_i| of each item's factor embedding, E_i = V_i sqrt(s2). The stored embedding is blended with content, so the
 * length cannot be derived from the stored embedding.
 */
function factorLengths(model: TrainedModel): Float32Array {
  const { vectors, eigenvalues, rank } = model;
  return Float32Array.from(model.itemNode, (_, item) => {
    let squares = 0;
    for (let k = 0; k < rank; k += 1) squares += (vectors[item * rank + k] ?? 0) ** 2 * (eigenvalues[k] ?? 0);
    return Math.sqrt(squares);
  });
}

/** Degree d_i in the operator: the number of users with the item among the latest `cap` items of their history. */
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

/** Encodes V sqrt(s) in pieces, because an embedding without content takes as much memory as V. */
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
 * Encodes each user's vector r_u D_i^-1/2 V^T, users × rank. The vector's product with e/s scores a cold item for the user.
 * Explanations split E_j, a weighted sum of the vectors of the item's users, into the shares of these users.
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
 * Items with a positive trend by type, strongest first. The group of type t begins at `trending.pointer[t + 1]`; group 0
 * contains the untyped items.
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
    ...(model.current === undefined ? {} : { 'item.current': model.current }),
  };
}
