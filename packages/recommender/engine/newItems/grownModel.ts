import type { AddedItems } from '../modelFile/addedItems.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { toWords, type Row, type WordSource } from '../modelFile/wordRows.ts';
import { AddedStrings } from './addedStrings.ts';
import { AddedTable, type AddedRow } from './addedTable.ts';
import { MergedRelated } from './mergedRelated.ts';
import type { NewItem } from './newItem.ts';

/** What each added item has, by number. */
interface Contents {
  embedding(item: number): WordSource | undefined;
  related(item: number): AddedRow | undefined;
  attributes(item: number): AddedRow | undefined;
}

/** A view of a model with room for further items, whose numbers follow the numbers of the model's items and nodes. */
export class GrownModel {
  readonly model: ModelReader;
  private readonly first: { item: number; node: number };
  private readonly nodeOf = new Map<string, number>();
  private readonly nodeType: Int32Array;
  private readonly texts: { ids: AddedStrings; names: AddedStrings; mediaUrls: AddedStrings };

  constructor(trained: ModelReader, capacity: number, added: AddedItems, contents: Contents) {
    const { facts } = trained;
    const first = { item: facts.items, node: facts.nodes };
    this.first = first;
    this.nodeType = grown(trained.nodeType, capacity, -1);
    const strings = (table: ModelReader['ids']): AddedStrings => new AddedStrings(table, first.node);
    this.texts = { ids: strings(trained.ids), names: strings(trained.names), mediaUrls: strings(trained.mediaUrls) };
    const numbered = (numbers: Int32Array, from: number): Int32Array => grown(numbers, capacity, 0).map((number, at) => (at < numbers.length ? number : from + at - numbers.length));
    const empty = (table: ModelReader['operator']): AddedTable => new AddedTable(table, first.item, () => undefined);
    const typeOf = (item: number): number => this.model.typeOfItem(item);
    const members: Partial<ModelReader> = {
      facts: { ...facts, items: first.item + capacity, nodes: first.node + capacity },
      added,
      ...this.texts,
      nodeType: this.nodeType,
      nodeItem: numbered(trained.nodeItem, first.item),
      nodeUser: grown(trained.nodeUser, capacity, -1),
      itemNode: numbered(trained.itemNode, first.node),
      degree: grown(trained.degree, capacity, 0),
      trend: grown(trained.trend, capacity, 0),
      current: trained.current === null ? null : grown(trained.current, capacity, 0),
      contentWeight: grown(trained.contentWeight, capacity, 1),
      relatedDivisor: grown(trained.relatedDivisor, capacity, 0),
      factorLength: grown(trained.factorLength, capacity, 0),
      operator: empty(trained.operator),
      transitions: trained.transitions === null ? null : empty(trained.transitions),
      audience: empty(trained.audience),
      attributes: new AddedTable(trained.attributes, first.item, contents.attributes),
      related: new MergedRelated(trained.related, first.item, contents.related, (item) => added.additionsTo(item), typeOf),
      findNode: (id) => this.findNode(trained, id),
      readEmbedding: (item, row) => readEmbedding(trained, contents, item, row),
    };
    const descriptors = Object.entries(members).map(([name, value]): [string, PropertyDescriptor] => [name, { value }]);
    this.model = Object.create(trained, Object.fromEntries(descriptors)) as ModelReader;
  }

  /** Fills the room of an item; items are placed in ascending order. */
  place({ id, type, name, mediaUrl }: NewItem, item: number): void {
    const node = this.first.node + item - this.first.item;
    this.nodeType[node] = type;
    this.texts.ids.push(id);
    this.texts.names.push(name);
    this.texts.mediaUrls.push(mediaUrl);
    this.nodeOf.set(id, node);
  }

  /** The model no longer finds the id. */
  forget(id: string): void {
    this.nodeOf.delete(id);
  }

  private findNode(trained: ModelReader, id: string): number {
    return this.nodeOf.get(id) ?? trained.findNode(id);
  }
}

function readEmbedding(trained: ModelReader, { embedding }: Contents, item: number, row: Row): void {
  if (item < trained.facts.items) return trained.readEmbedding(item, row);
  row.fill(embedding(item) ?? toWords([], trained.facts.rank), 0, trained.facts.rank, 0);
}

function grown<Numbers extends Int32Array | Float32Array | Uint8Array>(numbers: Numbers, capacity: number, fill: number): Numbers {
  const copy = new (numbers.constructor as new (length: number) => Numbers)(numbers.length + capacity);
  copy.set(numbers);
  copy.fill(fill, numbers.length);
  return copy;
}
