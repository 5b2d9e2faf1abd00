import { choleskyQr, type SingularRange } from '../linear/choleskyQr.ts';
import { crossProduct } from '../linear/crossProduct.ts';
import { multiplySmall } from '../linear/multiplySmall.ts';
import { degreePowers } from '../matrix/interactions.ts';
import { multiplyNormalised } from './multiplyNormalised.ts';
import type { VectorBlock } from './vectorBlock.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/**
 * A block of vectors in ordinary arrays, with sums in double precision: the plain version of `KernelBlock`, used for small
 * data.
 */
export class PlainBlock implements VectorBlock {
  private readonly interactions: Interactions;
  private readonly columns: number;
  private readonly userWeight: Float64Array;
  private readonly itemWeight: Float64Array;
  private readonly meter: ProgressMeter | undefined;
  private vectors: Float32Array;
  private product: Float32Array;

  constructor(interactions: Interactions, pu: number, columns: number, draw: () => number, meter?: ProgressMeter) {
    this.interactions = interactions;
    this.columns = columns;
    this.userWeight = degreePowers(interactions.userDegree, pu);
    this.itemWeight = degreePowers(interactions.itemDegree, -0.5);
    this.meter = meter;
    this.vectors = new Float32Array(interactions.items * columns);
    for (let k = 0; k < this.vectors.length; k++) this.vectors[k] = draw();
    this.product = new Float32Array(this.vectors.length);
  }

  multiply(root: number): void {
    this.multiplyInto(this.product);
    if (root !== 0) this.subtract(root);
    this.meter?.advance(this.interactions.items);
    [this.vectors, this.product] = [this.product, this.vectors];
  }

  orthonormalise(): SingularRange {
    return choleskyQr(this.vectors, this.interactions.items, this.columns, this.meter);
  }

  ritzMatrix(): Float64Array {
    this.multiplyInto(this.product);
    return crossProduct(this.vectors, this.product, this.interactions.items, this.columns, this.meter);
  }

  rotate(rotation: Float64Array, rank: number): Float32Array {
    const { items } = this.interactions;
    const rotated = new Float32Array(items * rank);
    multiplySmall(this.vectors, items, this.columns, rotation, rank, rotated, false, this.meter);
    return rotated;
  }

  /** Subtracts `root V` from the product, except in the rows of items without users, which are 0 in any eigenvector of A. */
  private subtract(root: number): void {
    const { product, vectors, columns, itemWeight } = this;
    for (let k = 0; k < product.length; k++) {
      if (itemWeight[Math.floor(k / columns)] !== 0) product[k] = (product[k] as number) - root * (vectors[k] as number);
    }
  }

  private multiplyInto(out: Float32Array): void {
    multiplyNormalised(this.interactions, this.userWeight, this.itemWeight, this.vectors, this.columns, out, this.meter);
  }
}
