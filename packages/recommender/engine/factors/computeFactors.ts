import { numberItems } from '../catalogue/numberItems.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { workspaceFor } from '../kernels/workspace.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { sampleRows } from './sampleUsers.ts';
import { factorise } from './factorise.ts';
import type { Factors } from './factorise.ts';
import type { TrainingData, TrainingOptions } from '../data/trainingData.ts';

/**
 * The first stage of training: computes the factors of the whole training data. The factors can be stored and later passed to
 * `computeNeighbours`.
 * @param report receives fractions 0 to 1
 * @param share share of the users that take part, drawn with the seed
 * @example
 * const factors = computeFactors(data, { setting: defaultSetting, seed: 1 }, () => {});
 */
export function computeFactors(
  data: TrainingData,
  options: TrainingOptions,
  report: (fraction: number) => void,
  share = 1,
): Factors {
  const catalogue = numberItems(data);
  const rows = sampleRows(buildHistory(data, catalogue), share, options.seed);
  const interactions = toInteractions(rows, catalogue.itemNode.length, workspaceFor(options.setting), true, options.historyCap);
  const { products: _, ...factors } = factorise(interactions, options.setting.pu, options.seed, report);
  return factors;
}
