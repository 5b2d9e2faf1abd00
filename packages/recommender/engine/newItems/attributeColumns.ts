import { readBytes, sectionPlace } from '../modelFile/fileWords.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { attributeKey, type AttributeReceiver } from '../neighbours/attributes/attributeSink.ts';
import { parseMetadata } from '../neighbours/attributes/parseMetadata.ts';
import { liftWeight } from '../neighbours/attributes/embedItems.ts';

/** Maximum number of attributes of an item. */
const maxAttributes = 256;
const binForm = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:–(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?))?$/;

/** A range of numbers, both ends included. */
interface Bin {
  from: number;
  to: number;
  column: number;
}

/** Attributes of an item, ascending, with their weights. */
export interface ItemAttributes {
  columns: Int32Array;
  weights: Float32Array;
}

/** Finds the attributes of a model that an entity has. */
export class AttributeColumns {
  private readonly columnOf = new Map<string, number>();
  private readonly bins = new Map<string, Bin[]>();
  private readonly weights: Float32Array;

  constructor(model: ModelReader) {
    const { attributeItems, attributeFields, attributeTexts, isCategory } = model;
    for (let column = 0; column < attributeItems.length; column += 1) {
      const field = attributeFields.get(column);
      const text = attributeTexts.get(column);
      const bin = isCategory[column] === 1 ? null : binForm.exec(text);
      this.columnOf.set(attributeKey(isCategory[column] === 1 ? 'value' : 'word', field, text), column);
      if (bin !== null) this.addBin(field, { from: Number(bin[1]), to: Number(bin[2] ?? bin[1]), column });
    }
    this.weights = readWeights(model);
  }

  /** @param metadata JSON object text; any other text has no attributes */
  read(name: string, metadata: string): ItemAttributes {
    const found = new Set<number>();
    const take = (column: number | undefined): void => {
      if (column !== undefined && found.size < maxAttributes) found.add(column);
    };
    const receiver: AttributeReceiver = {
      add: (kind, field, text) => take(this.columnOf.get(attributeKey(kind, field, text))),
      // A number between two ranges has no attribute, because a reason that names a range must be true.
      addNumber: (field, value) => take(this.bins.get(field)?.find(({ from, to }) => value >= from && value <= to)?.column),
    };
    parseMetadata(receiver, name, metadata);
    const columns = Int32Array.from(found).sort();
    return { columns, weights: Float32Array.from(columns, (column) => this.weights[column] ?? 0) };
  }

  private addBin(field: string, bin: Bin): void {
    const bins = this.bins.get(field);
    if (bins === undefined) this.bins.set(field, [bin]);
    else bins.push(bin);
  }
}

/** The weights that attributes have in the rows of the model. */
function readWeights({ file, facts, attributeItems }: ModelReader): Float32Array {
  if (facts.rank === 0) return Float32Array.from(attributeItems, (count) => Math.log(1 + facts.items / count));
  const lifts = new Float32Array(attributeItems.length);
  if (lifts.length > 0) readBytes(sectionPlace(file, 'attribute.lift', 'float32'), 0, new Uint8Array(lifts.buffer));
  return lifts.map(liftWeight);
}
