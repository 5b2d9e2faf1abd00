import { growingIntegers } from '../matrix/growingArray.ts';

/** Bounds against hostile metadata; an honest item has a few dozen attributes. */
const attributesPerItem = 256;
const distinctAttributes = 1_000_000;
const numericFields = 1_000;

/** One attribute as it was first seen. */
export interface AttributeText {
  kind: 'value' | 'word' | 'number';
  field: string;
  text: string;
}

/** The numbers of one field, with the items they belong to. */
export interface NumericField {
  field: string;
  items: number[];
  values: number[];
}

/** Collects the attributes of one item after the other, each distinct `field=value` once per item. */
export class AttributeSink {
  readonly texts: AttributeText[] = [];
  /** Attribute numbers of each item, `itemEnd[i]` is the end of item i. */
  readonly entries = growingIntegers();
  readonly itemEnd: Float64Array;
  readonly numeric = new Map<string, NumericField>();
  private readonly numberOf = new Map<string, number>();
  private readonly lastItem: number[] = [];
  private item = 0;
  private ofItem = 0;

  constructor(items: number) {
    this.itemEnd = new Float64Array(items);
  }

  begin(item: number): void {
    this.item = item;
    this.ofItem = 0;
  }

  end(): void {
    this.itemEnd[this.item] = this.entries.length;
  }

  /** `kind` keeps values and words of one field apart. */
  add(kind: 'value' | 'word', field: string, text: string): void {
    if (this.ofItem >= attributesPerItem) return;
    const key = `${kind}\u0000${field}\u0000${text.normalize('NFKC').toLowerCase()}`;
    let attribute = this.numberOf.get(key);
    if (attribute === undefined) {
      if (this.texts.length >= distinctAttributes) return;
      attribute = this.texts.push({ kind, field, text }) - 1;
      this.numberOf.set(key, attribute);
    }
    if (this.lastItem[attribute] === this.item) return;
    this.lastItem[attribute] = this.item;
    this.entries.push(attribute);
    this.ofItem++;
  }

  addNumber(field: string, value: number): void {
    if (this.ofItem >= attributesPerItem) return;
    let numbers = this.numeric.get(field);
    if (numbers === undefined) {
      if (this.numeric.size >= numericFields) return;
      numbers = { field, items: [], values: [] };
      this.numeric.set(field, numbers);
    }
    numbers.items.push(this.item);
    numbers.values.push(value);
    this.ofItem++;
  }
}

