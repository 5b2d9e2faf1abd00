import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { addPrediction } from './addPrediction.ts';

/** The parts of an item's embedding, `e = C + k c` with the weight k of the content. `load` sets the item. */
export class EmbeddingParts {
  /** C, which has the direction of the item's factor embedding; zeros if the item has no interactions. */
  readonly collaborative: Float64Array;
  /** c, the prediction from the attributes; zeros if k is 0. */
  readonly content: Float64Array;
  private readonly model: ModelReader;
  private readonly row = new Row();
  private readonly attributes = new Row();

  constructor(model: ModelReader) {
    this.model = model;
    this.collaborative = new Float64Array(model.facts.rank);
    this.content = new Float64Array(model.facts.rank);
  }

  load(item: number): void {
    const { model, collaborative, content, row, attributes } = this;
    const weight = model.contentWeight[item] ?? 0;
    content.fill(0);
    if (weight > 0) {
      model.attributes.read(item, attributes);
      const { ints, floats, start, count } = attributes;
      addPrediction(content, model, { columns: ints.subarray(start, start + count), weights: floats.subarray(start + count, start + 2 * count) }, row);
    }
    // An item without users has only a content part; the result of the subtraction would be a rounding error.
    if ((model.degree[item] ?? 0) === 0) return void collaborative.fill(0);
    model.readEmbedding(item, row);
    for (let k = 0; k < collaborative.length; k += 1) collaborative[k] = (row.floats[row.start + k] ?? 0) - weight * (content[k] ?? 0);
  }
}
