import { profileBytes } from '../choice/profileMemory.ts';
import { evaluatedUsers } from '../evaluation/heldOutUsers.ts';
import { paddedSize } from '../ridge/invertSymmetric.ts';
import { alsRank } from '../ridge/alsMatrix.ts';
import { drawnEntries, mostDraws } from '../choice/holdOut.ts';
import { keptSumBytes } from '../choice/matrixSums.ts';
import { mixedEntries } from '../choice/allowedWork.ts';
import { hasFewUsers } from '../ridge/ridgeByUsers.ts';
import { ridgeLimit } from '../ridge/ridgeMatrix.ts';
import { operatorLimit, ridgedLimit } from '../neighbours/operatorLimit.ts';
import type { TrainingData } from '../data/trainingData.ts';

/** Node.js, its libraries, the compiled program and uncollected garbage, before any data is loaded. */
const programBytes = 180e6;
/** Maximum number of columns of the block that becomes the factors; the factors have 32 fewer columns. */
const blockColumns = 288;
const oversampling = 32;
/** Bytes per item and column: a 32-bit float and a 16-bit integer for products. */
const columnBytes = 6;
/**
 * Bytes per item and thread for the panels in which a thread multiplies the block. The memory for lists is smaller and needed
 * later.
 */
const threadBytes = 256;
/** Bytes per item: degrees, weights, pointers, row positions. */
const itemBytes = 540;
/** Bytes per pair: histories and audiences, complete and capped, with times, in addition to the pairs themselves. */
const pairBytes = 60;
/** Bytes per pair with a weight: the pair's, the history's, the evaluation's and the file's copy. */
const weightBytes = 16;
/** Bytes per disliked pair: source, target, weight, and rows by user with a copy. */
const dislikeBytes = 28;
/** Bytes per entry of the ridge regression's matrix. */
const ridgeBytes = 4;
/** Bytes per pair while alternating least squares read the pairs by user and by item, with copies for the kernels. */
const alsPairBytes = 16;
/** Bytes per entry of the lists that the evaluation keeps in memory: item and value, twice while lists are joined. */
const entryBytes = 16;
/** Maximum length of the item-kNN lists in the evaluation. */
const neighbourEntries = 200;
/** Bytes per entry of the most popular items' rows (item and two values), in memory while the lists of users are computed. */
const hotRowEntryBytes = 12;
const maxHotRowBytes = 2 ** 26;
/** Bytes per node: numbers, and the headers of its strings. */
const nodeBytes = 180;
/** A sum of a history's entries of a regression. */
const sumBytes = 4;
/** JavaScript stores a text of Latin letters with one byte per letter; encoding the section takes the same bytes again. */
const textFactor = 2;

/**
 * Estimates the memory of a training in bytes from its arrays. Trainings above the available memory are refused. With a
 * million generated interactions, the estimate is 1.12 times the measured peak (bench/recommender/growth.ts). Finished lists
 * are stored in a file and do not count.
 * @param hasAls whether the request fixes a setting with alternating least squares, which the choice only tries on small data
 */
export function estimateMemory({ nodes, pairs, dislikes }: TrainingData, threads = 1, hasAls = false): number {
  const degree = new Float64Array(nodes.count);
  for (const source of pairs.source) degree[source] = (degree[source] as number) + 1;
  const reached = new Float64Array(nodes.count);
  for (let pair = 0; pair < pairs.count; pair++) {
    const target = pairs.target[pair] as number;
    reached[target] = (reached[target] as number) + (degree[pairs.source[pair] as number] as number);
  }
  let [items, users, operatorEntries, neighbours] = [0, 0, 0, 0];
  // The choice of the setting comes later; with all pairs, every row can have the maximum length.
  const longest = operatorLimit(nodes.count);
  for (let node = 0; node < nodes.count; node++) {
    if ((degree[node] as number) > 0) users++;
    // Entities without interactions are items if other entities of their type are targets.
    if ((degree[node] as number) > 0 && reached[node] === 0) continue;
    items++;
    operatorEntries += longest;
    neighbours += Math.min(neighbourEntries, reached[node] as number);
  }
  operatorEntries += Math.min(ridgeLimit, items) * Math.max(0, ridgedLimit - longest);
  const columns = Math.min(blockColumns, Math.ceil(Math.min(items, users) / 4) + oversampling);
  const described = textBytes([nodes.metadata, nodes.names]);
  // Rows of the evaluated users' items. Embeddings take separate memory only if there is content to blend in.
  const evaluated = Math.min(1, (evaluatedUsers * pairs.count) / Math.max(1, users * items)) * (operatorEntries + neighbours) * entryBytes;
  const hotRows = Math.min(maxHotRowBytes, operatorEntries * hotRowEntryBytes);
  const embeddings = described === 0 ? 0 : items * columns * columnBytes;
  // Each stage has one regression at a time; its steps need three panels of 64 columns beside the matrix, or the matrix between few users and two between users and items. Alternating least squares have one more matrix, and vectors.
  const ridgeSize = paddedSize(Math.min(ridgeLimit, items));
  const isMixed = pairs.count <= mixedEntries;
  const als = isMixed || hasAls ? ridgeBytes * (ridgeSize ** 2 + users * alsRank) + pairs.count * alsPairBytes : 0;
  const userSize = paddedSize(users);
  const steps = hasFewUsers(users, Math.min(ridgeLimit, items)) ? userSize * (userSize + 2 * ridgeSize) : 200 * ridgeSize;
  const ridge = ridgeBytes * (ridgeSize ** 2 + steps) + als;
  // The choice of the setting, which ends before the lists begin, keeps terms and sums of histories. Two copies of the regression and of least squares exist where the exponent of users changes; mixtures' best items, at most 15 MB, take their place otherwise. Each draw of held-out items has its own.
  const draws = pairs.count <= drawnEntries ? mostDraws : 1;
  const choice = draws * (Math.min(profileBytes.most, users * profileBytes.perUser) + (isMixed ? 4 : 2) * ridgeBytes * ridgeSize ** 2 + (isMixed ? 2 : 1) * Math.min(keptSumBytes, users * ridgeSize * sumBytes));
  const perItem = columns * columnBytes + threads * threadBytes + itemBytes;
  return (
    programBytes + ridge + items * perItem + embeddings + Math.max(choice, evaluated + hotRows) + pairs.count * (pairBytes + (pairs.weight === undefined ? 0 : weightBytes)) +
    (dislikes?.count ?? 0) * dislikeBytes + nodes.count * nodeBytes +
    textFactor * (described + textBytes([nodes.ids, nodes.mediaUrls]))
  );
}

function textBytes(columns: readonly (readonly string[])[]): number {
  let sum = 0;
  for (const texts of columns) for (const text of texts) sum += text.length;
  return sum;
}
