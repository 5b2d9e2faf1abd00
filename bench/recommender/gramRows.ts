import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { numberItems } from '../../packages/recommender/engine/catalogue/numberItems.ts';
import { buildHistory } from '../../packages/recommender/engine/matrix/buildHistory.ts';
import { toInteractions } from '../../packages/recommender/engine/matrix/interactions.ts';
import { GramRow } from '../../packages/recommender/engine/neighbours/gramRow.ts';
import type { TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';

/** Computes all rows of the Gram matrix with their candidates on this thread. Returns the number of candidates. */
export function gramRows(data: TrainingData): number {
  const catalogue = numberItems(data);
  const interactions = toInteractions(buildHistory(data, catalogue), catalogue.itemNode.length);
  const row = new GramRow(interactions, catalogue.itemGroup, catalogue.targetTypes.length, defaultSetting.pu, defaultSetting.pb);
  let candidates = 0;
  for (let item = 0; item < interactions.items; item++) {
    row.fill(item);
    for (const count of row.candidateCount) candidates += count;
    row.clear();
  }
  return candidates;
}
