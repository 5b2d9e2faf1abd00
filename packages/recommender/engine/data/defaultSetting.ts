import type { OperatorSetting } from './trainingData.ts';

/**
 * Exponents and filter strengths with the best mean results over samples of the test users of four public data sets (Gowalla, Yelp2018,
 * Amazon-book, MovieLens-1M). Other data prefers other settings, so a training chooses unless there are too few users.
 */
export const defaultSetting: OperatorSetting = { pu: -0.5, pa: -0.5, pb: -0.2, T: 3, b: 0.3 };
