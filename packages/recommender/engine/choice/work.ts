import { blockColumns, factorRank, iterations } from '../factors/factorise.ts';
import { capOf, type HistoryRows, type Interactions } from '../matrix/interactions.ts';
import { alsRank, usualAls } from '../ridge/alsMatrix.ts';
import { ridgeLimit } from '../ridge/ridgeMatrix.ts';
import { candidateLimit } from '../neighbours/gramRow.ts';

/**
 * Work is counted instead of timed, so that the same data tries the same settings on any machine. One unit is about a
 * nanosecond on one core (AMD EPYC, kernels). The operations are: additions at random positions, products in the sparse and
 * dense parts of the factors, products of candidates with vectors at random positions and in order, keys of a list's
 * candidates, entries of operator rows, and list entries including all work for an entry.
 */
const unitsPer = { addition: 3, sparseProduct: 0.4, denseProduct: 0.09, alsProduct: 1, vectorProduct: 0.2, comparedProduct: 0.06, key: 12, rowEntry: 100, listEntry: 300 } as const;

/** Work of `count` additions at random positions. */
export function additionWork(count: number): number {
  return unitsPer.addition * count;
}

/** Work of multiplying candidates with vectors, given the number of scalar products. */
export function vectorWork(products: number): number {
  return unitsPer.vectorProduct * products;
}

/** Work of multiplying mostly consecutive vectors, given the number of scalar products. */
export function comparedWork(products: number): number {
  return unitsPer.comparedProduct * products;
}

/** Work of ordering candidates. */
export function keyWork(count: number): number {
  return unitsPer.key * count;
}

/** Work of writing entries of operator rows that are already selected. */
export function rowEntryWork(count: number): number {
  return unitsPer.rowEntry * count;
}

/**
 * Work of `factorise`.
 * @param products number of products of the matrix with the block of vectors
 */
export function factorWork(matrix: Pick<Interactions, 'users' | 'items' | 'itemDegree'>, entries: number, products: number): number {
  const rank = factorRank(matrix);
  const columns = blockColumns(rank, matrix.items);
  const sparse = products * entries * 2 * columns;
  const dense = matrix.items * columns * ((iterations + 0.5) * columns + rank);
  return unitsPer.sparseProduct * sparse + unitsPer.denseProduct * dense;
}

/** Work of `computeRidge`: half of the third power of the size, and additions of pairs. */
export function ridgeWork({ items, userDegree }: Pick<Interactions, 'items' | 'userDegree'>): number {
  const pairs = userDegree.reduce((sum, degree) => sum + (degree * degree) / 2, 0);
  return unitsPer.denseProduct * 0.5 * Math.min(ridgeLimit, items) ** 3 + unitsPer.addition * pairs;
}

/** Work of `computeAls`: an interaction takes two products of vectors in each of four steps, on both sides, in each round. */
export function alsWork({ items, rows, users }: Pick<Interactions, 'items' | 'rows' | 'users'>, rounds = usualAls.rounds): number {
  const vectors = users + Math.min(ridgeLimit, items);
  const products = rounds * 4 * alsRank * (4 * rows.index.length + vectors * alsRank);
  return unitsPer.alsProduct * (products + 0.5 * alsRank * Math.min(ridgeLimit, items) ** 2);
}

/**
 * Work of a training's factors and lists, without the evaluation.
 * @param products number of products for the factors
 */
export function trainingWork(history: HistoryRows, items: number, products: number): number {
  const users = history.pointer.length - 1;
  const cap = capOf(history);
  const itemDegree = new Float64Array(items);
  const reached = new Float64Array(items);
  let additions = 0;
  let entries = 0;
  for (let user = 0; user < users; user++) {
    const end = history.pointer[user + 1] as number;
    const count = Math.min(cap, end - (history.pointer[user] as number));
    entries += count;
    additions += count * count;
    for (let entry = end - count; entry < end; entry++) {
      const item = history.index[entry] as number;
      itemDegree[item] = (itemDegree[item] as number) + 1;
      reached[item] = (reached[item] as number) + count - 1;
    }
  }
  const listed = reached.reduce((sum, others) => sum + Math.min(candidateLimit, others, items), 0);
  return factorWork({ users, items, itemDegree }, entries, products) + unitsPer.addition * additions + unitsPer.listEntry * listed;
}
