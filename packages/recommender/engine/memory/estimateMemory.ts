import { evaluatedUsers } from '../evaluation/heldOutUsers.ts';
import { operatorLimit } from '../neighbours/operatorLimit.ts';
import type { TrainingData } from '../data/trainingData.ts';

/** Node, its libraries, the compiled program and what the collector leaves lying, before there is any data. */
const programBytes = 180e6;
/** Columns of the block of vectors that becomes the factors, at most; the factors have 32 fewer. */
const blockColumns = 288;
const oversampling = 32;
/** A column of floats takes it for each item, and a second time as whole numbers of 16 bits, which products are computed with. */
const columnBytes = 6;
/** Panels in which a thread multiplies the block; its room for lists is less, and later. */
const threadBytes = 256;
/** Degrees, weights, pointers, places of rows. */
const itemBytes = 540;
/** Histories and audiences, whole and capped, with times, beside the pairs themselves. */
const pairBytes = 60;
/** Item and value of an entry of the lists that the evaluation keeps in memory, and once more while they are joined. */
const entryBytes = 16;
/** Longest lists of the item-kNN that the evaluation compares with. */
const neighbourEntries = 200;
/** Rows of the most popular items, item and two values an entry, while the lists of users are made. */
const hotRowEntryBytes = 12;
const maxHotRowBytes = 2 ** 26;
/** Numbers of a node, and the headers of its strings. */
const nodeBytes = 180;
/** JavaScript keeps a text of Latin letters in a byte a letter; sections are encoded once more. */
const textFactor = 2;

/**
 * How much memory a training will take, in bytes, from its arrays alone. It decides what is refused: on a million generated
 * interactions it is 1.12 times the measured peak (bench/recommender/growth.ts). Finished lists wait in a file and do not count.
 */
export function estimateMemory({ nodes, pairs }: TrainingData, threads = 1): number {
  const degree = new Float64Array(nodes.count);
  for (const source of pairs.source) degree[source] = (degree[source] as number) + 1;
  const reached = new Float64Array(nodes.count);
  for (let pair = 0; pair < pairs.count; pair++) {
    const target = pairs.target[pair] as number;
    reached[target] = (reached[target] as number) + (degree[pairs.source[pair] as number] as number);
  }
  let [items, users, operatorEntries, neighbours] = [0, 0, 0, 0];
  const longest = operatorLimit(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    if ((degree[node] as number) > 0) users++;
    // Entities without interactions are items too, where other entities of their type are targets.
    if ((degree[node] as number) > 0 && reached[node] === 0) continue;
    items++;
    operatorEntries += Math.min(longest, reached[node] as number);
    neighbours += Math.min(neighbourEntries, reached[node] as number);
  }
  const columns = Math.min(blockColumns, Math.ceil(Math.min(items, users) / 4) + oversampling);
  const described = textBytes([nodes.metadata, nodes.names]);
  // The rows of what the evaluated users have; embeddings of their own where there is content to blend in.
  const evaluated = Math.min(1, (evaluatedUsers * pairs.count) / Math.max(1, users * items)) * (operatorEntries + neighbours) * entryBytes;
  const hotRows = Math.min(maxHotRowBytes, operatorEntries * hotRowEntryBytes);
  const embeddings = described === 0 ? 0 : items * columns * columnBytes;
  const perItem = columns * columnBytes + threads * threadBytes + itemBytes;
  return (
    programBytes + items * perItem + embeddings + evaluated + hotRows + pairs.count * pairBytes + nodes.count * nodeBytes +
    textFactor * (described + textBytes([nodes.ids, nodes.mediaUrls]))
  );
}

function textBytes(columns: readonly (readonly string[])[]): number {
  let sum = 0;
  for (const texts of columns) for (const text of texts) sum += text.length;
  return sum;
}
