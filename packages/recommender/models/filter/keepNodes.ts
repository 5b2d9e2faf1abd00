import type { TrainingData } from '../../engine/data/trainingData.ts';

/** Places of the pairs that remain, ascending. */
interface KeptPairs {
  likes: Int32Array;
  dislikes: Int32Array | undefined;
}

/**
 * Returns the data without some nodes and pairs, in the same order. Nodes without an entity row that occur in no remaining pair are left out too.
 * @param kept 1 for each node that may remain; every remaining pair is between such nodes
 */
export function keepNodes(data: TrainingData, kept: Uint8Array, { likes, dislikes }: KeptPairs): TrainingData {
  const { nodes, pairs } = data;
  const remains = kept.map((keeps, node) => (keeps === 1 && (nodes.type[node] ?? -1) >= 0 ? 1 : 0));
  mark(remains, pairs, likes);
  if (data.dislikes !== undefined && dislikes !== undefined) mark(remains, data.dislikes, dislikes);
  const numbers = new Int32Array(nodes.count).fill(-1);
  const left: number[] = [];
  for (let node = 0; node < nodes.count; node += 1) if (remains[node] === 1) numbers[node] = left.push(node) - 1;
  const pick = (texts: readonly string[]): string[] => left.map((node) => texts[node] ?? '');
  return {
    types: data.types,
    nodes: {
      count: left.length, ids: pick(nodes.ids), type: Int32Array.from(left, (node) => nodes.type[node] ?? -1),
      names: pick(nodes.names), mediaUrls: pick(nodes.mediaUrls), metadata: pick(nodes.metadata),
    },
    pairs: {
      ...renumber(pairs, likes, numbers),
      time: Float64Array.from(likes, (pair) => pairs.time[pair] ?? Number.NaN),
      ...(pairs.weight === undefined ? {} : { weight: weightsOf(pairs.weight, likes) }),
    },
    ...(data.dislikes === undefined || dislikes === undefined || dislikes.length === 0
      ? {} : { dislikes: { ...renumber(data.dislikes, dislikes, numbers), weight: weightsOf(data.dislikes.weight, dislikes) } }),
  };
}

interface Ends {
  source: Int32Array;
  target: Int32Array;
}

function mark(remains: Uint8Array, { source, target }: Ends, places: Int32Array): void {
  for (const pair of places) {
    remains[source[pair] ?? 0] = 1;
    remains[target[pair] ?? 0] = 1;
  }
}

function renumber({ source, target }: Ends, places: Int32Array, numbers: Int32Array): Ends & { count: number } {
  const numberOf = (node: number | undefined): number => numbers[node ?? -1] ?? -1;
  return { count: places.length, source: places.map((pair) => numberOf(source[pair])), target: places.map((pair) => numberOf(target[pair])) };
}

function weightsOf(weight: Float32Array, places: Int32Array): Float32Array {
  return Float32Array.from(places, (pair) => weight[pair] ?? 1);
}
