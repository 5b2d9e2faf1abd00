import { toColumnValue } from '../columns/columnValue.ts';
import { visitMembers } from '../columns/visitMembers.ts';
import type { ColumnType, ColumnValue } from '../data/column.ts';
import type { AddedItems, Addition } from '../modelFile/addedItems.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { Row, toWords, type WordSource } from '../modelFile/wordRows.ts';
import { addPrediction } from '../query/addPrediction.ts';
import type { AddedRow } from './addedTable.ts';
import { AttributeColumns, type ItemAttributes } from './attributeColumns.ts';
import { ComparedItems, lengthOf } from './comparedItems.ts';
import { GrownModel } from './grownModel.ts';
import type { NewItem } from './newItem.ts';
import { relate, toComparand, type Comparand } from './relateItems.ts';

/** Number of directions that content predicts; the others are 0. */
const contentColumns = 128;

interface Placed extends Comparand {
  given: NewItem;
  related: AddedRow;
  embedding: WordSource;
}

/**
 * Items that arrived after the training of a model. Each is placed by its metadata: the model's ridge map predicts the embedding from the attributes, and
 * the embedding decides on the lists that contain the item, as for an item without interactions in a training. Numbers of items are never used
 * again, so that what was computed for a number stays valid.
 */
export class NewItems implements AddedItems {
  /** A reader of the model that has the items. */
  readonly model: ModelReader;
  readonly firstItem: number;
  readonly firstNode: number;
  readonly filedRelated: AddedItems['filedRelated'];
  changes = 0;
  private readonly trained: ModelReader;
  private readonly grown: GrownModel;
  private readonly columns: AttributeColumns;
  private readonly compared: ComparedItems;
  private readonly placed: Placed[] = [];
  private readonly additions = new Map<number, Addition[]>();
  private readonly capacity: number;

  /** @param capacity maximum number of items that `add` accepts */
  constructor(trained: ModelReader, capacity: number) {
    this.trained = trained;
    this.capacity = capacity;
    this.firstItem = trained.facts.items;
    this.firstNode = trained.facts.nodes;
    this.filedRelated = trained.related;
    this.columns = new AttributeColumns(trained);
    this.compared = new ComparedItems(trained);
    this.grown = new GrownModel(trained, capacity, this, {
      embedding: (item) => this.of(item)?.embedding,
      related: (item) => this.of(item)?.related,
      attributes: (item) => toRow(this.of(item)?.attributes),
    });
    this.model = this.grown.model;
  }

  /** Whether items can be added to a model; a file of an older version has no scale for their scores. */
  static fits({ facts }: ModelReader): boolean {
    return facts.rank === 0 || facts.cosineScores !== undefined;
  }

  get isFull(): boolean {
    return this.placed.length >= this.capacity;
  }

  isListed(item: number): boolean {
    return this.of(item)?.listed === true;
  }

  additionsTo(item: number): readonly Addition[] {
    return this.additions.get(item) ?? none;
  }

  columnValue(item: number, name: string, type: ColumnType): ColumnValue {
    let value: ColumnValue;
    visitMembers(this.of(item)?.given.metadata ?? '', (path, member) => {
      if (path === name) value = toColumnValue(member, type);
    });
    return value;
  }

  /**
   * Places an item.
   * @returns number of the item; -1 if the model knows none of its attributes or no more items fit
   */
  add(given: NewItem): number {
    const attributes = this.columns.read(given.name, given.metadata);
    const vector = this.predict(attributes);
    if (this.isFull || lengthOf(this.trained.facts.rank === 0 ? attributes.weights : vector) === 0) return -1;
    const item = this.firstItem + this.placed.length;
    const own = toComparand(this.trained, { item, type: given.type, vector, attributes });
    const { related, additions } = relate(this.trained, this.compared, own, this.placed);
    for (const [other, addition] of additions) {
      const list = this.additions.get(other) ?? [];
      const below = list.findIndex(({ value }) => value < addition.value);
      list.splice(below < 0 ? list.length : below, 0, addition);
      this.additions.set(other, list);
    }
    this.placed.push({ ...own, given, related, embedding: toWords(vector, this.trained.facts.rank) });
    this.grown.place(given, item);
    this.changes += 1;
    return item;
  }

  /** Removes an item from all lists, for example because another item replaces it. */
  remove(item: number): void {
    const placed = this.of(item);
    if (placed === undefined || !placed.listed) return;
    placed.listed = false;
    this.grown.forget(placed.given.id);
    this.changes += 1;
  }

  private of(item: number): Placed | undefined {
    return this.placed[item - this.firstItem];
  }

  /** The attributes times the ridge map; empty in a model without interactions. */
  private predict(attributes: ItemAttributes): Float64Array {
    const vector = new Float64Array(Math.min(this.trained.facts.rank, contentColumns));
    if (vector.length > 0) addPrediction(vector, this.trained, attributes, new Row());
    return vector;
  }
}

const none: readonly Addition[] = [];

function toRow(attributes: ItemAttributes | undefined): AddedRow | undefined {
  return attributes === undefined ? undefined : { index: attributes.columns, planes: [attributes.weights] };
}
