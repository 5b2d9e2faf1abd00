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
export const border = 2;

/**
 * Finds the connected parts (8 neighbours) of a mask in one pass: each pixel takes the label of a marked neighbour, and labels that
 * meet are joined (Rosenfeld and Pfaltz 1966).
 * @param sign 1 if the shapes are brighter than their surroundings, -1 if they are darker
 */
export function findShapes({ width, height, luma }: GreyPicture, mask: Uint8Array, sign: 1 | -1): Shape[] {
  const labels = new Int32Array(width * height);
  const known = new Labels();
  for (let y = border; y < height - border; y++) {
    for (let x = border, at = y * width + border; x < width - border; x++, at++) {
      if (mask[at] === 0) continue;
      const near = known.join(labels[at - 1]!, labels[at - width - 1]!, labels[at - width]!, labels[at - width + 1]!);
      const label = near === 0 ? known.create(x, y) : near;
      labels[at] = label;
      const shape = known.shapes[label]!;
      if (x < shape.left) shape.left = x;
      if (x > shape.right) shape.right = x;
      shape.bottom = y;
      shape.pixels++;
      shape.luma += luma[at]!;
      for (const step of [1, -1, width, -width]) if (mask[at + step] === 0) addEdge(shape, sign * (luma[at - step]! - luma[at + 2 * step]!));
    }
  }
  return known.finish();
}

function addEdge(shape: Shape, step: number): void {
  shape.edges++;
  shape.steps += step;
  if (step >= steepStep) shape.steep++;
}

/** Labels of shapes; a label points to the label with which it was joined. Label 0 is no shape. */
class Labels {
  private readonly parents = [0];
  readonly shapes: Shape[] = [emptyAt(0, 0)];

  create(x: number, y: number): number {
    this.shapes.push(emptyAt(x, y));
    return this.parents.push(this.parents.length) - 1;
  }

  /** Joins the labels of the neighbours of a pixel. The neighbour above touches the three others, so it decides alone. */
  join(left: number, aboveLeft: number, above: number, aboveRight: number): number {
    if (above !== 0) return above;
    const one = left !== 0 ? left : aboveLeft;
    if (one === 0) return aboveRight;
    if (aboveRight !== 0 && aboveRight !== one) this.unite(one, aboveRight);
    return one;
  }

  private unite(one: number, other: number): void {
    const [a, b] = [this.rootOf(one), this.rootOf(other)];
    this.parents[Math.max(a, b)] = Math.min(a, b);
  }

  private rootOf(label: number): number {
    let root = label;
    while (this.parents[root] !== root) root = this.parents[root] = this.parents[this.parents[root]!]!;
    return root;
  }

  /** Adds each joined shape to the shape it belongs to. */
  finish(): Shape[] {
    for (let label = this.shapes.length - 1; label > 0; label--) {
      const root = this.rootOf(label);
      if (root !== label) addShape(this.shapes[root]!, this.shapes[label]!);
    }
    return this.shapes.filter((_, label) => label > 0 && this.parents[label] === label);
  }
}

function emptyAt(x: number, y: number): Shape {
  return { left: x, top: y, right: x, bottom: y, pixels: 0, edges: 0, luma: 0, steps: 0, steep: 0 };
}

function addShape(to: Shape, part: Shape): void {
  to.left = Math.min(to.left, part.left);
  to.right = Math.max(to.right, part.right);
  to.top = Math.min(to.top, part.top);
  to.bottom = Math.max(to.bottom, part.bottom);
  for (const name of ['pixels', 'edges', 'luma', 'steps', 'steep'] as const) to[name] += part[name];
}
