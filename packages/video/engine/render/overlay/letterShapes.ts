import type { GreyPicture } from './greyPicture.ts';

/** A connected part of a picture that may be a letter. Sizes in pixels of the picture. */
export interface Shape {
  left: number;
  top: number;
  /** Last column and row, inclusive. */
  right: number;
  bottom: number;
  pixels: number;
  /** Number of edges between a pixel of the shape and a pixel outside. */
  edges: number;
  /** Sum of the luma of all pixels. */
  luma: number;
  /** Sum over all edges of the step of luma from inside to outside. */
  steps: number;
  /** Number of edges with a steep step. */
  steep: number;
}

/** Step of luma across 3 pixels from which an edge is steep. */
const steepStep = 30;
/** Rows and columns at the border of a picture that belong to no shape, because the step of their edges is unknown. */
const border = 2;

/**
 * Finds the connected parts (8 neighbours) of the pixels with a mark in one pass: the marked pixels of a row that touch each other form
 * a run, each run takes the label of a run that it touches in the row above, and labels that meet are joined (Rosenfeld and Pfaltz
 * 1966; by runs, He, Chao and Suzuki 2008).
 * @param marks bits of each pixel; `bit` selects one of them
 * @param sign 1 if the shapes are brighter than their surroundings, -1 if they are darker
 * @returns the parts that have at least `rowsLeast` rows and do not touch the border of the picture
 */
export function findShapes(picture: GreyPicture, marks: Uint8Array, { bit, sign, rowsLeast }: { bit: number; sign: 1 | -1; rowsLeast: number }): Shape[] {
  const { width, height } = picture;
  const table = new ShapeTable(picture, marks, bit, sign);
  const even = new RowRuns(width);
  const odd = new RowRuns(width);
  for (let y = border; y < height - border; y++) {
    const [runs, above] = y % 2 === 0 ? [even, odd] : [odd, even];
    runs.read(marks, y * width, bit);
    labelRuns(table, y, runs, above);
  }
  return table.finish(rowsLeast);
}

/** Gives each run of a row the label of the runs above that it touches. A function of its own, which V8 compiles after a few rows. */
function labelRuns(table: ShapeTable, y: number, runs: RowRuns, above: RowRuns): void {
  for (let run = 0, over = 0; run < runs.count; run++) {
    const from = runs.from[run]!;
    const to = runs.to[run]!;
    let label = 0;
    while (over < above.count && above.to[over]! < from) over++;
    for (let touching = over; touching < above.count && above.from[touching]! <= to; touching++) label = table.join(label, above.labels[touching]!);
    if (label === 0) label = table.create();
    runs.labels[run] = label;
    table.addRun(label, y, from, to);
  }
}

/** The runs of marked pixels of a row. */
class RowRuns {
  count = 0;
  readonly from: Int32Array;
  /** Column after the last pixel. */
  readonly to: Int32Array;
  readonly labels: Int32Array;
  private readonly width: number;

  constructor(width: number) {
    this.width = width;
    [this.from, this.to, this.labels] = [new Int32Array(width), new Int32Array(width), new Int32Array(width)];
  }

  read(marks: Uint8Array, row: number, bit: number): void {
    const { from, to } = this;
    const end = this.width - border;
    let count = 0;
    for (let x = border; x < end; x++) {
      if ((marks[row + x]! & bit) === 0) continue;
      from[count] = x;
      while (x < end && (marks[row + x]! & bit) !== 0) x++;
      to[count++] = x;
    }
    this.count = count;
  }
}

/** Positions of the values of a shape in the table. A label points to the label with which it was joined by `parent`. */
const field = { left: 0, top: 1, right: 2, bottom: 3, pixels: 4, edges: 5, luma: 6, steps: 7, steep: 8, parent: 9 } as const;
const fields = 10;

/** The values of all labels in one array: a picture has up to some 10,000 shapes. Label 0 is no shape. */
class ShapeTable {
  private values = new Int32Array(fields * 8192);
  private count = 1;
  private readonly picture: GreyPicture;
  private readonly marks: Uint8Array;
  private readonly bit: number;
  private readonly sign: 1 | -1;

  constructor(picture: GreyPicture, marks: Uint8Array, bit: number, sign: 1 | -1) {
    this.picture = picture;
    this.marks = marks;
    this.bit = bit;
    this.sign = sign;
  }

  create(): number {
    const label = this.count++;
    if (this.count * fields > this.values.length) {
      const larger = new Int32Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    const at = label * fields;
    this.values[at + field.left] = this.picture.width;
    this.values[at + field.top] = this.picture.height;
    this.values[at + field.parent] = label;
    return label;
  }

  /** Joins two labels and returns the label of both. Label 0 joins nothing. */
  join(one: number, other: number): number {
    if (one === other || one === 0) return other;
    const [a, b] = [this.rootOf(one), this.rootOf(other)];
    const root = Math.min(a, b);
    this.values[Math.max(a, b) * fields + field.parent] = root;
    return root;
  }

  private rootOf(label: number): number {
    const { values } = this;
    let root = label;
    for (let parent = values[root * fields + field.parent]!; parent !== root; parent = values[root * fields + field.parent]!) {
      const next = values[parent * fields + field.parent]!;
      values[root * fields + field.parent] = next;
      root = next;
    }
    return root;
  }

  /** Adds the pixels and edges of the run `from` ≤ x < `to` of row `y`. */
  addRun(label: number, y: number, from: number, to: number): void {
    const { values, marks, bit, picture: { width, luma } } = this;
    const row = y * width;
    const shape = label * fields;
    let sum = 0;
    for (let at = row + from; at < row + to; at++) {
      sum += luma[at]!;
      if ((marks[at - width]! & bit) === 0) this.addEdge(shape, luma[at + width]!, luma[at - 2 * width]!);
      if ((marks[at + width]! & bit) === 0) this.addEdge(shape, luma[at - width]!, luma[at + 2 * width]!);
    }
    this.addEdge(shape, luma[row + from + 1]!, luma[row + from - 2]!);
    this.addEdge(shape, luma[row + to - 2]!, luma[row + to + 1]!);
    values[shape + field.left] = Math.min(values[shape + field.left]!, from);
    values[shape + field.top] = Math.min(values[shape + field.top]!, y);
    values[shape + field.right] = Math.max(values[shape + field.right]!, to - 1);
    values[shape + field.bottom] = y;
    values[shape + field.pixels]! += to - from;
    values[shape + field.luma]! += sum;
  }

  private addEdge(shape: number, inside: number, outside: number): void {
    // One way for both signs: code that V8 compiled for bright shapes would be discarded at the first dark shape, or at the first product of -0.
    const step = Math.imul(this.sign, inside - outside);
    this.values[shape + field.edges]!++;
    this.values[shape + field.steps]! += step;
    if (step >= steepStep) this.values[shape + field.steep]!++;
  }

  /** Adds the values of each joined label to its root, and lists the roots with at least `rowsLeast` rows inside the border. */
  finish(rowsLeast: number): Shape[] {
    const shapes: Shape[] = [];
    for (let label = this.count - 1; label > 0; label--) {
      const root = this.rootOf(label);
      if (root !== label) this.addTo(root * fields, label * fields);
      else if (this.isInside(label * fields, rowsLeast)) shapes.push(this.read(label * fields));
    }
    return shapes.toReversed();
  }

  private addTo(root: number, part: number): void {
    const { values } = this;
    for (const name of [field.left, field.top]) values[root + name] = Math.min(values[root + name]!, values[part + name]!);
    for (const name of [field.right, field.bottom]) values[root + name] = Math.max(values[root + name]!, values[part + name]!);
    for (const name of [field.pixels, field.edges, field.luma, field.steps, field.steep]) values[root + name]! += values[part + name]!;
  }

  private isInside(shape: number, rowsLeast: number): boolean {
    const { values, picture: { width, height } } = this;
    const [top, bottom] = [values[shape + field.top]!, values[shape + field.bottom]!];
    return bottom - top + 1 >= rowsLeast && top > border && bottom < height - 1 - border
      && values[shape + field.left]! > border && values[shape + field.right]! < width - 1 - border;
  }

  private read(shape: number): Shape {
    const of = (name: keyof Shape): number => this.values[shape + field[name]]!;
    return { left: of('left'), top: of('top'), right: of('right'), bottom: of('bottom'), pixels: of('pixels'), edges: of('edges'), luma: of('luma'), steps: of('steps'), steep: of('steep') };
  }
}
