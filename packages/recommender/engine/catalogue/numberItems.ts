import type { TrainingData } from '../data/trainingData.ts';

/** Numbers of items and users, and the target type of each item. */
export interface Catalogue {
  /** Types of interaction targets, ascending (-1: ids without an entity row); without interactions, all types. */
  targetTypes: Int32Array;
  itemNode: Int32Array;
  nodeItem: Int32Array;
  userNode: Int32Array;
  nodeUser: Int32Array;
  /** Index of each item's type in `targetTypes`: the group of lists that contains the item. */
  itemGroup: Int32Array;
}

/**
 * Numbers items and users in node order. Items are the nodes that can be recommended: every target and every entity of a
 * target's type (without interactions, all entities). Users are all sources, also of dislikes; the
 * targets of dislikes alone are no interaction targets. Ids without an entity row have no common type,
 * so they are items only if they are targets.
 */
export function numberItems(data: TrainingData): Catalogue {
  const { nodes, pairs, dislikes } = data;
  const isTarget = new Uint8Array(nodes.count);
  const isSource = new Uint8Array(nodes.count);
  const isTargetType = new Uint8Array(data.types.length + 1);
  for (let pair = 0; pair < pairs.count; pair++) {
    const target = pairs.target[pair] as number;
    isSource[pairs.source[pair] as number] = 1;
    isTarget[target] = 1;
    isTargetType[(nodes.type[target] as number) + 1] = 1;
  }
  if (pairs.count === 0) for (const type of nodes.type) isTargetType[type + 1] = 1;
  // A source of dislikes alone is a user too, so that its lists leave the disliked items out.
  else for (const source of dislikes?.source ?? []) isSource[source] = 1;

  const isItem = new Uint8Array(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    const type = nodes.type[node] as number;
    isItem[node] = isTarget[node] === 1 || (type >= 0 && isTargetType[type + 1] === 1) ? 1 : 0;
  }
  const groupOfType = new Int32Array(data.types.length + 1).fill(-1);
  const targetTypes: number[] = [];
  for (let type = -1; type < data.types.length; type++) {
    if (isTargetType[type + 1] === 1) groupOfType[type + 1] = targetTypes.push(type) - 1;
  }
  const [itemNode, nodeItem] = numberMarked(isItem);
  const [userNode, nodeUser] = numberMarked(isSource);
  const itemGroup = itemNode.map((node) => groupOfType[(nodes.type[node] as number) + 1] as number);
  return { targetTypes: Int32Array.from(targetTypes), itemNode, nodeItem, userNode, nodeUser, itemGroup };
}

function numberMarked(marked: Uint8Array): [Int32Array, Int32Array] {
  const numberOf = new Int32Array(marked.length).fill(-1);
  const nodes: number[] = [];
  for (let node = 0; node < marked.length; node++) {
    if (marked[node] === 1) numberOf[node] = nodes.push(node) - 1;
  }
  return [Int32Array.from(nodes), numberOf];
}
