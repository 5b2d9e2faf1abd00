import { growingIntegers } from '../../matrix/growingArray.ts';

/** Limits against malicious metadata; an ordinary item has a few dozen attributes. */
const attributesPerItem = 256;
const distinctAttributes = 1_000_000;
const numericFields = 1_000;

/** An attribute in the spelling of its first occurrence. */
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

/** Receives the attributes of an item. `kind` separates values and words of the same field. */
export interface AttributeReceiver {
  add(kind: 'value' | 'word', field: string, text: string): void;
  addNumber(field: string, value: number): void;
}

/** Attributes with equal keys are the same attribute. */
export function attributeKey(kind: 'value' | 'word', field: string, text: string): string {
  return `${kind}\u0000${field}\u0000${text.normalize('NFKC').toLowerCase()}`;
}

/** Collects the attributes of items in item order; each distinct `field=value` counts once per item. */
export class AttributeSink implements AttributeReceiver {
  readonly texts: AttributeText[] = [];
  /** Attribute numbers of each item; the entries of item i end at `itemEnd[i]`. */
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

  /** Adds an attribute to the current item. */
  add(kind: 'value' | 'word', field: string, text: string): void {
    if (this.ofItem >= attributesPerItem) return;
    const key = attributeKey(kind, field, text);
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

