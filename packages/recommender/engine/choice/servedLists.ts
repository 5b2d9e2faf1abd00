import { factorRank } from '../factors/factorise.ts';
import { createRowTools } from '../kernels/createRowTools.ts';
import { WholeRows } from '../lists/listRows.ts';
import { comparedLimit, findCompared } from '../neighbours/comparedItems.ts';
import { candidateLimit, GramRow } from '../neighbours/gramRow.ts';
import { OperatorRows } from '../neighbours/operatorRows.ts';
import { operatorLimit, ridgedLimit } from '../neighbours/operatorLimit.ts';
import { visitRows } from '../neighbours/visitRows.ts';
import { additionWork, comparedWork, keyWork, rowEntryWork, vectorWork } from './work.ts';
import type { Catalogue } from '../catalogue/numberItems.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { ItemMatrix } from '../ridge/ridgeMatrix.ts';
import type { OperatorSetting } from '../data/trainingData.ts';
import type { WeightedRows } from '../data/trainedModel.ts';

const mostCutShort = 2 * ridgedLimit;

/**
 * The rows of the user operator as a training computes them: cut to the entries that a model keeps, and without the values that it leaves out. Releases what it takes of the
 * workspace.
 * @param factors factors of the same interactions and the setting's pu
 * @param matrix weighted regression of a setting with a ridge or als, otherwise null
 * @param isWanted 1 for each item whose row is needed; others have no entries
 */
export function servedRows(
  interactions: Interactions, factors: Factors, { itemGroup, targetTypes }: Pick<Catalogue, 'itemGroup' | 'targetTypes'>, setting: OperatorSetting,
  matrix: ItemMatrix | null, isWanted: Uint8Array,
): WeightedRows {
  const { workspace, items } = interactions;
  const mark = workspace?.mark() ?? 0;
  const groups = targetTypes.length;
  const compared = setting.allPairs === true ? findCompared(createRowTools(interactions), interactions, factors, itemGroup, groups) : null;
  const rows = new WholeRows(items, 1);
  const wanted = Array.from(isWanted.keys()).filter((item) => isWanted[item] === 1);
  visitRows(new GramRow(interactions, itemGroup, groups, setting.pu, setting.pb), wanted, [new OperatorRows(interactions, factors, setting, rows, null, compared, matrix)]);
  workspace?.release(mark);
  return rows.join();
}

/**
 * Whether a mixture's rows hold a good part of a catalogue of which rows of common users are cut: then the cut costs lists more than in larger catalogues, of which both kinds of rows hold
 * the few best entries only (bench/results/recommend-peers.md).
 */
export function isCutShort(items: number): boolean {
  return items <= mostCutShort;
}

/**
 * Work of `servedRows` for all items, and of adding rows to lists. The work of settings that share nothing, and an upper bound for catalogues of several types.
 * @param added number of rows that lists add up
 */
export function servedRowsWork(interactions: Interactions, { T, b, allPairs = false, ridge = 0, als = 0 }: OperatorSetting, added: number): number {
  const { items, userDegree } = interactions;
  const spectral = (T === 0 ? 0 : 1) + (b === 0 ? 0 : 1);
  const candidates = Math.min(items, allPairs ? comparedLimit : candidateLimit);
  const products = items * candidates * factorRank(interactions) * spectral;
  const entries = Math.min(candidates, ridge > 0 || als > 0 ? ridgedLimit : operatorLimit(items));
  const pairs = userDegree.reduce((sum, degree) => sum + degree * degree, 0);
  return additionWork(pairs + added * entries) + (allPairs ? comparedWork(products) : vectorWork(products)) + keyWork(items * candidates) + rowEntryWork(items * entries);
}
