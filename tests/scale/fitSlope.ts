export interface Point {
  x: number;
  y: number;
}

export interface Slope {
  slope: number;
  /** 95 % confidence interval of the slope. */
  low: number;
  high: number;
}

/** Number of windows whose means are fitted. Neighbouring samples depend on each other (garbage collection), means of windows hardly do. */
const windows = 20;
/** 97.5 % quantile of Student's t with `windows` - 2 degrees of freedom. */
const t = 2.101;

/**
 * Fits a line to the means of 20 windows of samples by least squares.
 * @param points in ascending order of `x`, at least two for each window
 */
export function fitSlope(points: readonly Point[]): Slope {
  const size = Math.floor(points.length / windows);
  if (size < 2) throw new Error(`${points.length} samples are too few for ${windows} windows`);
  const means = Array.from({ length: windows }, (_, window) => {
    const members = points.slice(points.length - (windows - window) * size, points.length - (windows - window - 1) * size);
    return { x: mean(members.map(({ x }) => x)), y: mean(members.map(({ y }) => y)) };
  });
  const [middleX, middleY] = [mean(means.map(({ x }) => x)), mean(means.map(({ y }) => y))];
  const spread = sum(means.map(({ x }) => (x - middleX) ** 2));
  const slope = sum(means.map(({ x, y }) => (x - middleX) * (y - middleY))) / spread;
  const residual = sum(means.map(({ x, y }) => (y - middleY - slope * (x - middleX)) ** 2));
  const margin = t * Math.sqrt(residual / (windows - 2) / spread);
  return { slope, low: slope - margin, high: slope + margin };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
