import type { TrainingData } from '../../engine/data/trainingData.ts';

/** Counts the ids that are both a source and a target of interactions, liked or disliked: one entity each, although users and items may be meant. */
export function countShared({ nodes, pairs, dislikes }: TrainingData): number {
  const isSource = new Uint8Array(nodes.count);
  const isShared = new Uint8Array(nodes.count);
  const all = dislikes === undefined ? [pairs] : [pairs, dislikes];
  for (const { source } of all) for (const node of source) isSource[node] = 1;
  for (const { target } of all) for (const node of target) isShared[node] = isSource[node] as number;
  return isShared.reduce((count, shared) => count + shared, 0);
}
