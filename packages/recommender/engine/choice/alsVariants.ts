import type { AlsOptions } from '../ridge/alsMatrix.ts';
import type { starts } from './settingGrid.ts';

/**
 * Variants of alternating least squares of the mixtures of a start. Beside the sparse start, four rounds choose no better mixtures than two for an eighth of the choice of a sparse shop more, and a
 * confidence of 10 loses .3 to 1.3 %; beside the dense start, two rounds lose .7 and .9 % on two parts of MovieLens latest-small, but tell whether a confidence of 5 is better (bench/results/recommend-peers.md).
 */
const variants: Readonly<Record<keyof typeof starts, readonly AlsOptions[]>> = {
  dense: [{ rounds: 4, confidence: 40 }, { rounds: 2, confidence: 5 }], sparse: [{ rounds: 2, confidence: 40 }],
};
/**
 * Maximum number of interactions for a second variant: four parts of MovieLens latest-small with 72,000 keep 40 where both are compared, for 8 to 16 % more
 * time of the choice (bench/results/recommend-peers.md).
 */
const variedEntries = 50_000;

/** Variants of alternating least squares of which a search makes a mixture each, the usual one first. */
export function alsVariants(regime: keyof typeof starts, entries: number): readonly AlsOptions[] {
  return variants[regime].slice(0, entries > variedEntries ? 1 : undefined);
}
