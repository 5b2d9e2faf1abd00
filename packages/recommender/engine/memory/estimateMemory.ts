import { operatorLimit } from '../neighbours/operatorLimit.ts';
import type { TrainingData } from '../trainingData.ts';

/** Node, its libraries and the compiled program before there is any data. */
const programBytes = 120e6;
/** Factors while they are computed (288 floats), when they are done (256) and as embeddings (256), and scratch. */
const itemBytes = 4 * (288 + 256 + 256) + 300;
/** Histories and audiences, whole and capped, with times, beside the pairs themselves. */
const pairBytes = 60;
/** One entry of a list: item, value and score, and a part of it once more while the file is written. */
const entryBytes = 14;
/** Longest lists of related items. */
const relatedEntries = 100;
/** Numbers of a node, and the headers of its strings. */
const nodeBytes = 180;
/** JavaScript keeps a text of Latin letters in a byte a letter; sections are encoded once more. */
const textFactor = 2;

/**
 * How much memory a training will take, in bytes, from its arrays alone: within a third of what is measured (Gowalla,
 * MovieLens, generated data of up to 10 M interactions), rather too little than too much, since it decides what is refused.
 */
export function estimateMemory({ nodes, pairs }: TrainingData): number {
  const degree = new Float64Array(nodes.count);
  for (const source of pairs.source) degree[source] = (degree[source] as number) + 1;
  const reached = new Float64Array(nodes.count);
  for (let pair = 0; pair < pairs.count; pair++) {
    const target = pairs.target[pair] as number;
    reached[target] = (reached[target] as number) + (degree[pairs.source[pair] as number] as number) - 1;
  }
  const operatorEntries = operatorLimit(nodes.count);
  let entries = 0;
  let items = 0;
  for (let node = 0; node < nodes.count; node++) {
    // Entities that nobody met are items too, where others of their type are targets; they have no row of the operator.
    if ((degree[node] as number) > 0 && reached[node] === 0) continue;
    items++;
    entries += Math.min(operatorEntries, reached[node] as number) + Math.min(relatedEntries, items);
  }
  return programBytes + items * itemBytes + pairs.count * pairBytes + entries * entryBytes + nodes.count * nodeBytes + textFactor * textBytes(nodes);
}

function textBytes({ ids, names, mediaUrls, metadata }: TrainingData['nodes']): number {
  let sum = 0;
  for (const texts of [ids, names, mediaUrls, metadata]) for (const text of texts) sum += text.length;
  return sum;
}
