import type { AddedItems } from './addedItems.ts';
import { Arena } from './arena.ts';
import { findNode, hashBytes } from './idIndex.ts';
import { unreadable } from './modelFileErrors.ts';
import { type ModelFacts, modelFormat, modelVersion } from './modelLayout.ts';
import { dataBytes, findSection, openSectionFile, loadSection, type SectionFile } from './sectionFile.ts';
import { SectionMemory, type Strings } from './sectionMemory.ts';
import { numberListed, StoredLists } from './storedLists.ts';
import { type Row, RowTable, type WordSource } from './wordRows.ts';

/** Maximum bytes of optional sections in memory per model; other sections are read through the page cache. */
const defaultMemoryBytes = 256 * 2 ** 20;

interface OpenModelOptions {
  memoryBytes?: number;
  /** Awaited after every 512 KB, so that opening a model in the background does not delay other queries. */
  rest?: () => Promise<void>;
}

/**
 * Opens a model file for queries. Pointers, types, the id index and the trend are always in memory (about 130 bytes per
 * node). Other sections are kept in memory until `memoryBytes` (default 256 MB) is used up, in this order: ids, lists of
 * items, lists of users, histories, factors, names. The rows of the remaining sections are read by offset. Checksums of
 * sections in memory are verified.
 * @throws Problem model-file-unreadable with the reason: foreign, cut off, damaged, or of a newer version
 */
export async function openModel(path: string, options: OpenModelOptions = {}): Promise<ModelReader> {
  const file = await openSectionFile(path, { format: modelFormat, newestVersion: modelVersion });
  const memoryBytes = options.memoryBytes ?? defaultMemoryBytes;
  const { version } = file.header;
  file.rest = options.rest;
  file.arena = new Arena(Math.min(dataBytes(file.header), memoryBytes));
  try {
    return await loadModel(file, { memoryBytes, storedLists: version >= 2, transitions: version >= 3 });
  } catch (error) {
    await closeFile(file);
    throw error;
  }
}

/**
 * Creates a reader of an open file; the reader's `close` closes the file.
 * @param options `storedLists`: whether to read the lists of users, which version 1 files and incomplete files do not have;
 * `transitions`: whether to read transitions, which version 1 and 2 files do not have
 */
export async function loadModel(file: SectionFile, options: ReadOptions): Promise<ModelReader> {
  const facts = file.header.facts as unknown as ModelFacts;
  const kept = await loadKept(file, options);
  checkCounts(file, facts, kept);
  return new ModelReader(file, facts, kept, await loadOptional(file, options, kept));
}

type Kept = Awaited<ReturnType<typeof loadKept>>;
type Optional = Awaited<ReturnType<typeof loadOptional>>;

interface ReadOptions {
  memoryBytes: number;
  storedLists: boolean;
  transitions: boolean;
}

async function loadKept(file: SectionFile, { transitions }: ReadOptions) {
  const has = (section: string) => file.header.sections.some(({ name }) => name === section);
  const ints = (name: string) => loadSection(file, name, 'int32');
  const floats = (name: string) => loadSection(file, name, 'float32');
  const pointer = (name: string) => loadSection(file, `${name}.pointer`, 'float64');
  return {
    index: await ints('node.index'),
    nodeType: await ints('node.type'),
    nodeItem: await ints('node.item'),
    nodeUser: await ints('node.user'),
    itemNode: await ints('item.node'),
    userNode: await ints('user.node'),
    degree: await ints('item.degree'),
    trending: await ints('trending.rows'),
    trend: await floats('item.trend'),
    current: has('item.current') ? await loadSection(file, 'item.current', 'uint8') : null,
    contentWeight: await floats('item.contentWeight'),
    relatedDivisor: await floats('item.relatedDivisor'),
    factorLength: await floats('item.factorLength'),
    attributeItems: await ints('attribute.items'),
    isCategory: await loadSection(file, 'attribute.isCategory', 'uint8'),
    eigenvalues: await loadSection(file, 'eigenvalues', 'float64'),
    pointers: {
      trending: await pointer('trending'),
      related: await pointer('related'),
      operator: await pointer('operator'),
      transition: transitions ? await pointer('transition') : null,
      history: await pointer('history'),
      dislike: has('dislike.pointer') ? await pointer('dislike') : null,
      audience: await pointer('audience'),
      attribute: await pointer('attribute'),
    },
  };
}

async function loadOptional(file: SectionFile, options: ReadOptions, kept: Kept) {
  const memory = new SectionMemory(file, options.memoryBytes);
  const { pointers } = kept;
  return {
    ids: await memory.strings('node.id'),
    related: new RowTable(pointers.related, await memory.words('related.rows', 'int32'), 2),
    userLists: options.storedLists ? await loadLists(file, memory, kept) : null,
    history: new RowTable(pointers.history, await memory.words('history.rows', 'int32'), 0),
    historyWeights: await loadWeights(file, memory, kept),
    dislikes: pointers.dislike === null ? null : new RowTable(pointers.dislike, await memory.words('dislike.rows', 'int32'), 1),
    operator: new RowTable(pointers.operator, await memory.words('operator.rows', 'int32'), 2),
    transitions: pointers.transition === null ? null : new RowTable(pointers.transition, await memory.words('transition.rows', 'int32'), 1),
    names: await memory.strings('node.name'),
    mediaUrls: await memory.strings('node.media'),
    embedding: await memory.words('item.embedding', 'float32'),
    audience: new RowTable(pointers.audience, await memory.words('audience.rows', 'int32'), 0),
    userFactors: await memory.words('user.factors', 'float32'),
    attributes: new RowTable(pointers.attribute, await memory.words('attribute.rows', 'int32'), 1),
    attributeFields: await memory.strings('attribute.field'),
    attributeTexts: await memory.strings('attribute.text'),
    ridge: await memory.words('attribute.ridge', 'float32'),
  };
}

/** Weights have the places of the histories' entries. Null if all are 1. */
async function loadWeights(file: SectionFile, memory: SectionMemory, { pointers }: Kept): Promise<RowTable | null> {
  if (pointers.dislike === null) return null;
  const { length } = findSection(file, 'history.weights', 'float32');
  if (length === 0) return null;
  const expected = pointers.history.at(-1) ?? 0;
  if (length !== expected) throw unreadable(file.path, `its section history.weights has ${length} elements instead of ${expected}`);
  return new RowTable(pointers.history, await memory.words('history.weights', 'float32'), 0);
}

async function loadLists(file: SectionFile, memory: SectionMemory, kept: Kept): Promise<StoredLists> {
  const { rowOf, rows } = numberListed(kept.userNode, kept.nodeItem);
  const lists = new StoredLists(rowOf, kept.itemNode.length, file.header.version, await memory.words('user.lists', 'int32'));
  const { length } = findSection(file, 'user.lists', 'int32');
  const expected = rows * 2 * lists.length;
  if (length !== expected) throw unreadable(file.path, `its section user.lists has ${length} elements instead of ${expected}`);
  return lists;
}

function checkCounts(file: SectionFile, facts: ModelFacts, kept: Kept): void {
  const expected: [string, number, number][] = [
    ['node.type', kept.nodeType.length, facts.nodes],
    ['node.item', kept.nodeItem.length, facts.nodes],
    ['node.user', kept.nodeUser.length, facts.nodes],
    ['item.node', kept.itemNode.length, facts.items],
    ['user.node', kept.userNode.length, facts.users],
    ['related.pointer', kept.pointers.related.length, facts.items + 1],
    ['operator.pointer', kept.pointers.operator.length, facts.items + 1],
    ['audience.pointer', kept.pointers.audience.length, facts.items + 1],
    ['history.pointer', kept.pointers.history.length, facts.users + 1],
    ['dislike.pointer', kept.pointers.dislike?.length ?? facts.users + 1, facts.users + 1],
    ['transition.pointer', kept.pointers.transition?.length ?? facts.items + 1, facts.items + 1],
  ];
  for (const [name, length, count] of expected) {
    if (length !== count) throw unreadable(file.path, `its section ${name} has ${length} elements instead of ${count}`);
  }
}

/** A model file opened for queries. Every method is synchronous; threads may not share an instance. */
export class ModelReader {
  readonly path: string;
  readonly facts: ModelFacts;
  /** Numbers by node or item, as in TrainedModel. */
  readonly nodeType: Int32Array;
  readonly nodeItem: Int32Array;
  readonly nodeUser: Int32Array;
  readonly itemNode: Int32Array;
  readonly userNode: Int32Array;
  /** Number of users that have the item among the latest `facts.historyCap` items of their history. */
  readonly degree: Int32Array;
  readonly trend: Float32Array;
  /** 1 for each item that is in demand now; null in files of earlier releases, where this is not known. */
  readonly current: Uint8Array | null;
  readonly contentWeight: Float32Array;
  readonly relatedDivisor: Float32Array;
  /** |E_i| before blending with content. */
  readonly factorLength: Float32Array;
  /** Number of items with each attribute. */
  readonly attributeItems: Int32Array;
  /** 1 for attributes that are a whole value of their field. */
  readonly isCategory: Uint8Array;
  readonly eigenvalues: Float64Array;
  /** Model files do not contain this information. */
  readonly leadsToCold = null;
  /** Items that the file does not have; null for a reader of the file alone, which `trained` is. */
  readonly added: AddedItems | null = null;
  readonly trained: ModelReader = this;
  /** Items by descending trend; type t is `trending[trendingPointer[t + 1] .. trendingPointer[t + 2]]`. */
  readonly trending: Int32Array;
  readonly trendingPointer: Float64Array;
  /** Related items of an item: item, rel, score. */
  readonly related: RowTable;
  /** Operator row of an item: item, value, score. */
  readonly operator: RowTable;
  /** Transitions of an item: item, value; null for a file of version 1 or 2. */
  readonly transitions: RowTable | null;
  /** Stored lists of users for requests with default options; null for a file of version 1. */
  readonly userLists: StoredLists | null;
  /** Items of a user, oldest first. */
  readonly history: RowTable;
  /** What each item of a user's history counts, as floats; null if all count 1. */
  readonly historyWeights: RowTable | null;
  /** Items that a user dislikes: item, weight below 0; null if there are none. */
  readonly dislikes: RowTable | null;
  /** Users of an item, ascending. */
  readonly audience: RowTable;
  /** Attributes of an item: attribute, weight. */
  readonly attributes: RowTable;
  readonly ids: Strings;
  readonly names: Strings;
  readonly mediaUrls: Strings;
  readonly attributeFields: Strings;
  readonly attributeTexts: Strings;
  /** For sections that a query reads when it first needs them. */
  readonly file: SectionFile;
  private readonly index: Int32Array;
  private readonly embeddings: WordSource;
  private readonly userFactors: WordSource;
  private readonly ridge: WordSource;

  constructor(file: SectionFile, facts: ModelFacts, kept: Kept, optional: Optional) {
    this.file = file;
    this.path = file.path;
    this.facts = facts;
    this.index = kept.index;
    this.nodeType = kept.nodeType;
    this.nodeItem = kept.nodeItem;
    this.nodeUser = kept.nodeUser;
    this.itemNode = kept.itemNode;
    this.userNode = kept.userNode;
    this.degree = kept.degree;
    this.trend = kept.trend;
    this.current = kept.current;
    this.contentWeight = kept.contentWeight;
    this.relatedDivisor = kept.relatedDivisor;
    this.factorLength = kept.factorLength;
    this.attributeItems = kept.attributeItems;
    this.isCategory = kept.isCategory;
    this.eigenvalues = kept.eigenvalues;
    this.trending = kept.trending;
    this.trendingPointer = kept.pointers.trending;
    this.related = optional.related;
    this.operator = optional.operator;
    this.transitions = optional.transitions;
    this.userLists = optional.userLists;
    this.history = optional.history;
    this.historyWeights = optional.historyWeights;
    this.dislikes = optional.dislikes;
    this.audience = optional.audience;
    this.attributes = optional.attributes;
    this.ids = optional.ids;
    this.names = optional.names;
    this.mediaUrls = optional.mediaUrls;
    this.attributeFields = optional.attributeFields;
    this.attributeTexts = optional.attributeTexts;
    this.embeddings = optional.embedding;
    this.userFactors = optional.userFactors;
    this.ridge = optional.ridge;
  }

  /** Returns the number of the node with an id, or -1. */
  findNode(id: string): number {
    const wanted = Buffer.from(id, 'utf8');
    const { ids } = this;
    return findNode(this.index, this.facts.nodes, hashBytes(wanted, 0, wanted.length), (node) => {
      ids.locate(node);
      return ids.bytes.compare(wanted, 0, wanted.length, ids.start, ids.end);
    });
  }

  /** Type index of an item, -1 if the item has no type. */
  typeOfItem(item: number): number {
    return this.nodeType[this.itemNode[item] ?? 0] ?? -1;
  }

  /** Reads the `rank` floats of an item's embedding e as the first plane of `row` (`ints` is not used). */
  readEmbedding(item: number, row: Row): void {
    row.fill(this.embeddings, item * this.facts.rank, this.facts.rank, 0);
  }

  /** Reads the `rank` floats of a user's vector r_u D_i^-1/2 V^T. */
  readUserFactor(user: number, row: Row): void {
    row.fill(this.userFactors, user * this.facts.rank, this.facts.rank, 0);
  }

  /** Reads the `rank` floats of an attribute's row of the ridge map W. */
  readRidge(attribute: number, row: Row): void {
    row.fill(this.ridge, attribute * this.facts.rank, this.facts.rank, 0);
  }

  /** Closes the file and frees its memory; no method may be called afterwards. */
  async close(): Promise<void> {
    await closeFile(this.file);
  }
}

async function closeFile(file: SectionFile): Promise<void> {
  file.arena?.release();
  await file.handle.close();
}
