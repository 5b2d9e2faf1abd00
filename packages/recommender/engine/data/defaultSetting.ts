import type { OperatorSetting } from './trainingData.ts';

/**
 * Exponents and filter strengths with the best results over four public data sets of different density (Gowalla, Yelp2018,
 * Amazon-book, MovieLens-1M); R@20 on the full Gowalla test set is .193.
 */
export const defaultSetting: OperatorSetting = { pu: -0.5, pa: -0.5, pb: -0.2, T: 3, b: 0.3 };
