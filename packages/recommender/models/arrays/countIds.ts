import type { TrainingData } from '../../engine/data/trainingData.ts';
import type { IdCounts } from './trainingSnapshot.ts';

/** Counts the ids of liked and disliked pairs: how many are both source and target, and how many have no entity row. */
export function countIds({ nodes, pairs, dislikes }: TrainingData): IdCounts {
  const isSource = new Uint8Array(nodes.count);
  const isTarget = new Uint8Array(nodes.count);
  for (const { source, target } of dislikes === undefined ? [pairs] : [pairs, dislikes]) {
    for (const node of source) isSource[node] = 1;
    for (const node of target) isTarget[node] = 1;
  }
  const counts = { sources: 0, targets: 0, shared: 0, sources_without_entity: 0, targets_without_entity: 0 };
  for (let node = 0; node < nodes.count; node++) {
    const [source, target, bare] = [isSource[node] as number, isTarget[node] as number, nodes.type[node] === -1 ? 1 : 0];
    counts.sources += source;
    counts.targets += target;
    counts.shared += source & target;
    counts.sources_without_entity += source & bare;
    counts.targets_without_entity += target & bare;
  }
  return counts;
}
