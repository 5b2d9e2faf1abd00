import { inverseCholesky, singularRange, type SingularRange } from '../linear/choleskyQr.ts';
import { degreePowers } from '../matrix/interactions.ts';
import { runJobs, type Job, type KernelCall } from '../kernels/jobs.ts';
import type { VectorBlock } from './vectorBlock.ts';
import type { Workspace } from '../kernels/workspace.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';

/** Columns of a panel, and bytes of one panel row; `assembly/panels.ts` defines the same values. */
const width = 32;
const rowBytes = 128;
const tileDoubles = width * width;
/**
 * Rows that one job transforms and users that one call multiplies: a few milliseconds of work, so that all threads finish at
 * about the same time.
 */
const rowsPerJob = 1024;
const usersPerCall = 4096;
/**
 * Products summed in single precision resolve a column's length to about 1e-8. If less than this share of a column's squared
 * length is independent of the previous columns, the block computes the products again in double precision.
 */
const doubtfulShare = 1e-5;

/**
 * A block of vectors in shared memory, with products computed by the kernels. V is stored in panels of 32 columns; columns
 * past the last one are zero. `A V` works on one panel at a time, so each thread needs only two panels beside V.
 */
export class KernelBlock implements VectorBlock {
  private readonly interactions: Interactions;
  private readonly workspace: Workspace;
  private readonly columns: number;
  private readonly panels: number;
  private readonly panelBytes: number;
  private readonly userWeight: Float32Array;
  private readonly itemWeight: Float32Array;
  /** `-root d_i^1/2` for the root of the current product. */
  private readonly rootWeight: Float32Array;
  private readonly pointer: Float64Array;
  private readonly index: Int32Array;
  private readonly block: Float32Array;
  private readonly meter: ProgressMeter | undefined;

  constructor(
    interactions: Interactions, workspace: Workspace, pu: number, columns: number, draw: () => number, meter?: ProgressMeter,
  ) {
    const { items } = interactions;
    this.interactions = interactions;
    this.workspace = workspace;
    this.columns = columns;
    this.meter = meter;
    this.panels = Math.ceil(columns / width);
    this.panelBytes = items * rowBytes;
    this.pointer = workspace.place(interactions.rows.pointer);
    this.index = workspace.place(interactions.rows.index);
    this.userWeight = workspace.place(Float32Array.from(degreePowers(interactions.userDegree, pu)));
    this.itemWeight = workspace.place(Float32Array.from(degreePowers(interactions.itemDegree, -0.5)));
    this.rootWeight = workspace.floats(items);
    this.block = workspace.floats(this.panels * width * items);
    for (let item = 0; item < items; item++) {
      for (let first = 0; first < columns; first += width) {
        const start = this.placeOf(item, first);
        const end = start + Math.min(width, columns - first);
        for (let place = start; place < end; place++) this.block[place] = draw();
      }
    }
  }

  multiply(root: number): void {
    this.rootWeight.set(this.interactions.itemDegree.map((degree) => -root * Math.sqrt(degree)));
    const jobs = this.eachPanel((panel) => this.multiplyCalls(panel, panel, root !== 0));
    runJobs(this.workspace, jobs, 2 * this.panelBytes, this.meter);
  }

  orthonormalise(): SingularRange {
    let gram = this.gram('crossPanels');
    let { inverse, smallestShare } = inverseCholesky(gram, this.columns);
    if (smallestShare < doubtfulShare) {
      gram = this.gram('crossPanelsDouble');
      ({ inverse } = inverseCholesky(gram, this.columns));
    }
    this.transform(inverse, this.columns, true, 0);
    return singularRange(gram, inverse, this.columns);
  }

  ritzMatrix(): Float64Array {
    const tiles = this.workspace.doubles(this.panels * this.panels * tileDoubles);
    const product = { scratch: this.panelBytes };
    const jobs = this.eachPanel((panel) => [
      ...this.multiplyCalls(panel, product),
      ...Array.from({ length: panel + 1 }, (_, left): KernelCall =>
        ['crossPanels', this.panelAt(left), product, this.interactions.items, this.tileAt(tiles, left, panel)],
      ),
    ]);
    runJobs(this.workspace, jobs, 2 * this.panelBytes, this.meter);
    return this.fromTiles(tiles);
  }

  rotate(rotation: Float64Array, rank: number): Float32Array {
    const { items } = this.interactions;
    const { workspace } = this;
    if (rank % width !== 0 || rank > this.columns) {
      const rotated = workspace.floats(items * rank);
      this.transform(rotation, rank, false, rotated.byteOffset);
      return rotated;
    }
    this.transform(rotation, rank, false, 0);
    const mark = workspace.mark();
    const panels = rank / width;
    const moved = workspace.integers(Math.ceil((items * panels) / 32));
    runJobs(workspace, [{ calls: [['joinPanels', this.block.byteOffset, items, panels, moved.byteOffset]], units: 0 }], 0);
    workspace.release(mark);
    return this.block.subarray(0, items * rank);
  }

  private placeOf(item: number, column: number): number {
    const panel = Math.floor(column / width);
    return (panel * this.interactions.items + item) * width + (column % width);
  }

  private panelAt(panel: number): number {
    return this.block.byteOffset + panel * this.panelBytes;
  }

  private tileAt(tiles: Float64Array, left: number, right: number): number {
    return tiles.byteOffset + 8 * tileDoubles * (left * this.panels + right);
  }

  private eachPanel(calls: (panel: number) => KernelCall[]): Job[] {
    const units = (this.index.length + this.interactions.items) / this.panels;
    return Array.from({ length: this.panels }, (_, panel) => ({ calls: calls(panel), units }));
  }

  /**
   * Calls that compute `X^T (X v)` of a panel, with `X = D_u^(pu/2) R D_i^-1/2`: `scalePanel` applies `D_i^-1/2` on both
   * sides, `multiplyPanel` applies the rest.
   * @param to panel or place in scratch memory that receives the result
   * @param hasRoot whether the sums begin with `-root v`, which the last `D_i^-1/2` needs multiplied by `D_i^1/2`
   */
  private multiplyCalls(panel: number, to: number | { scratch: number }, hasRoot = false): KernelCall[] {
    const { users, items } = this.interactions;
    const scaled = { scratch: 0 };
    const sums = { scratch: this.panelBytes };
    const calls: KernelCall[] = [
      ['scalePanel', this.panelAt(panel), this.itemWeight.byteOffset, items, scaled],
      hasRoot ? ['scalePanel', this.panelAt(panel), this.rootWeight.byteOffset, items, sums] : ['zero', sums, this.panelBytes],
    ];
    for (let first = 0; first < users; first += usersPerCall) {
      const last = Math.min(users, first + usersPerCall);
      calls.push([
        'multiplyPanel', this.pointer.byteOffset, this.index.byteOffset, first, last, this.userWeight.byteOffset, scaled, sums,
      ]);
    }
    const target = typeof to === 'number' ? this.panelAt(to) : to;
    calls.push(['scalePanel', sums, this.itemWeight.byteOffset, items, target]);
    return calls;
  }

  /** Returns `V^T V`, columns × columns. */
  private gram(kernel: 'crossPanels' | 'crossPanelsDouble'): Float64Array {
    const mark = this.workspace.mark();
    const tiles = this.workspace.doubles(this.panels * this.panels * tileDoubles);
    const { items } = this.interactions;
    const units = items / (0.5 * this.panels * (this.panels + 1));
    const jobs: Job[] = [];
    for (let left = 0; left < this.panels; left++) {
      for (let right = left; right < this.panels; right++) {
        const tile = this.tileAt(tiles, left, right);
        jobs.push({ calls: [[kernel, this.panelAt(left), this.panelAt(right), items, tile]], units });
      }
    }
    runJobs(this.workspace, jobs, 0, this.meter);
    this.workspace.release(mark);
    return this.fromTiles(tiles);
  }

  /** Returns the symmetric matrix whose upper triangle the tiles contain. */
  private fromTiles(tiles: Float64Array): Float64Array {
    const { columns, panels } = this;
    const matrix = new Float64Array(columns * columns);
    for (let i = 0; i < columns; i++) {
      for (let j = i; j < columns; j++) {
        const tile = Math.floor(i / width) * panels + Math.floor(j / width);
        const value = tiles[tile * tileDoubles + (i % width) * width + (j % width)] as number;
        matrix[i * columns + j] = value;
        matrix[j * columns + i] = value;
      }
    }
    return matrix;
  }

  /** Computes `V S` for a row-major columns × outColumns matrix S; writes the result over V if `to` is 0. */
  private transform(s: Float64Array, outColumns: number, upper: boolean, to: number): void {
    const { items } = this.interactions;
    const mark = this.workspace.mark();
    const outPanels = Math.ceil(outColumns / width);
    const small = this.workspace.floats(outPanels * this.panels * width * width);
    for (let row = 0; row < this.columns; row++) {
      for (let column = 0; column < outColumns; column++) {
        const panel = Math.floor(column / width);
        small[(panel * this.panels * width + row) * width + (column % width)] = s[row * outColumns + column] as number;
      }
    }
    const jobs: Job[] = [];
    for (let first = 0; first < items; first += rowsPerJob) {
      const last = Math.min(items, first + rowsPerJob);
      jobs.push({
        calls: [[
          'transformRows', this.block.byteOffset, items, this.panels, first, last, small.byteOffset, outPanels, upper ? 1 : 0,
          to, to === 0 ? 0 : outColumns, { scratch: 0 },
        ]],
        units: last - first,
      });
    }
    runJobs(this.workspace, jobs, width * rowBytes * (this.panels + outPanels), this.meter);
    this.workspace.release(mark);
  }
}
