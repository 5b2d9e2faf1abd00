/** Error level of all tests and intervals of experiments: at most 5 % of experiments without a difference ever report one. */
const errorLevel = 0.05;
/** Quantiles of the normal distribution: two-sided 5 %, and a power of 80 %. */
const levelQuantile = 1.959964;
export const powerQuantile = 0.841621;

/**
 * Weight of the mixture, in units of information about the logarithm of a ratio. The bound is tightest around the information with which a test of fixed
 * size would find the minimum detectable effect.
 * @param minimumEffect relative, for example 0.1 for a ratio of 1.1
 */
export function mixtureWeight(minimumEffect: number): number {
  const fixedSize = ((levelQuantile + powerQuantile) / Math.log1p(minimumEffect)) ** 2;
  const doubledLog = -2 * Math.log(errorLevel);
  return fixedSize / (doubledLog + Math.log(doubledLog + 1));
}

/**
 * Number of standard errors of an interval that holds at all times at once: with probability 95 %, no interval of the whole experiment, however often it is
 * read, misses the true value. A test of fixed size has 1.96 here. The number comes from the mixture sequential probability ratio test with a normal mixture
 * (Robbins 1970; Johari, Koomen, Pekelis, Walsh 2017, "Peeking at A/B tests"), which inverted is the two-sided normal mixture boundary of Howard, Ramdas,
 * McAuliffe, Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence sequences".
 * @param information inverse of the variance of the logarithm of the ratio; positive
 * @param weight see `mixtureWeight`
 */
export function boundErrors(information: number, weight: number): number {
  const total = information + weight;
  return Math.sqrt((total / information) * Math.log(total / (weight * errorLevel ** 2)));
}
