import { seededRandom } from '../../packages/platform/process/seededRandom.ts';

/**
 * One run of a contender. Returns a measured value, e.g. requests/s; without a returned value, the duration of the run counts.
 */
export type Contender = () => Promise<number | void>;

export interface InterleaveOptions {
  ours: Contender;
  /** The reference implementation, run as often as `ours`, in alternation. */
  theirs: Contender;
  /** Number of measured pairs of runs, at least 3. */
  rounds: number;
  /** Number of unmeasured pairs of runs before the measurement. */
  warmup: number;
  /** Monotonic time in ms; tests replace this clock. */
  nowMs?: () => number;
  /** Called after each measured pair, to show progress. */
  onRound?: (round: number, ratio: number) => void;
}

/**
 * A ratio with its spread. The machine is shared, so only the ratio can be compared between machines; absolute values are for
 * orientation.
 */
export interface RatioReport {
  /** Median of ours / theirs over the rounds. */
  ratio: number;
  /** 95 % confidence interval of that median (bootstrap over the rounds, percentile method; Efron 1979). */
  low: number;
  high: number;
  ratios: number[];
  /** Median of the measured values, or of the durations in ms, of each side. */
  ours: number;
  theirs: number;
}

const resamples = 2_000;

/**
 * Runs two contenders in alternation and compares them pair by pair, so that other load on the machine slows both. The order
 * within a pair alternates from round to round, which cancels a drift within the pair.
 * @throws Error if a run measures 0 or a value that is not finite, because then there is no ratio
 * @example
 * const report = await interleave({ ours: runOurs, theirs: runReference, rounds: 7, warmup: 1 });
 * console.log(formatRatio(report));
 */
export async function interleave(options: InterleaveOptions): Promise<RatioReport> {
  const { rounds, warmup, nowMs = () => performance.now() } = options;
  if (!Number.isInteger(rounds) || rounds < 3) throw new Error(`rounds is ${rounds}; a spread needs at least 3`);
  const ours: number[] = [];
  const theirs: number[] = [];
  const ratios: number[] = [];
  for (let round = -warmup; round < rounds; round++) {
    const pair = { ours: 0, theirs: 0 };
    const order = round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
    for (const side of order) pair[side] = await measure(side, options[side], nowMs);
    if (round < 0) continue;
    ours.push(pair.ours);
    theirs.push(pair.theirs);
    ratios.push(pair.ours / pair.theirs);
    options.onRound?.(round + 1, pair.ours / pair.theirs);
  }
  return { ratio: median(ratios), ...medianInterval(ratios), ratios, ours: median(ours), theirs: median(theirs) };
}

async function measure(side: string, contender: Contender, nowMs: () => number): Promise<number> {
  const started = nowMs();
  const measured = await contender();
  const value = typeof measured === 'number' ? measured : nowMs() - started;
  if (!Number.isFinite(value) || value <= 0) throw new Error(`a run of "${side}" measured ${value}; it must be above 0`);
  return value;
}

/**
 * Computes a quantile with linear interpolation between neighbours (type 7 of Hyndman and Fan 1996, the default of R and NumPy).
 * @param fraction 0 to 1
 */
export function quantile(values: readonly number[], fraction: number): number {
  if (values.length === 0) throw new Error('no quantile of nothing');
  const sorted = [...values].sort((left, right) => left - right);
  const place = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Computes the 95 % bootstrap interval of the median. The seed is fixed, so a report can be reproduced from its rounds. */
export function medianInterval(values: readonly number[]): { low: number; high: number } {
  const random = seededRandom(20_240_601);
  const medians: number[] = [];
  for (let resample = 0; resample < resamples; resample++) {
    medians.push(median(values.map(() => random.pick(values))));
  }
  return { low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
}
