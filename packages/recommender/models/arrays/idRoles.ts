import type { TrainingData } from '../../engine/data/trainingData.ts';

/** By node: 1 for the sources, and for the targets, of liked and disliked pairs. */
export function idRoles({ nodes, pairs, dislikes }: TrainingData): { isSource: Uint8Array; isTarget: Uint8Array } {
  const isSource = new Uint8Array(nodes.count);
  const isTarget = new Uint8Array(nodes.count);
  for (const { source, target } of dislikes === undefined ? [pairs] : [pairs, dislikes]) {
    for (const node of source) isSource[node] = 1;
    for (const node of target) isTarget[node] = 1;
  }
  return { isSource, isTarget };
}
