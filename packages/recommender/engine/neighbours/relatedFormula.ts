import { binOf } from '../scores/cosineBins.ts';

/**
 * How the ranking value of related items is computed, see `RelatedRows`. The header of a model file contains the formula, because
 * reasons are computed from the file.
 */
export interface RelatedFormula {
  /** Share of the information term in the ranking value; the P-term and the cosine have half of the rest each. */
  information: number;
  /** Number of users of the candidate at which the NPMI and its estimate from the cosine have equal weight. */
  prior: number;
  /** The estimate of the NPMI, as a share of the cosine. */
  estimate: number;
  /** Weight of shared categories: the same categories multiply a value by one plus this weight. */
  categories: number;
}

/**
 * Formula of new models, selected on the tuning half of `bench/recommender/franchises.ts`: films of a series, a director or an
 * actor. `bench/results/quality.md` lists what other values gave.
 */
export const relatedFormula: RelatedFormula = { information: 0.7, prior: 2, estimate: 0.4, categories: 0.5 };

/** Formula of the model files before version 5, whose headers do not contain the formula. */
export const formerFormula: RelatedFormula = { information: 0, prior: 0, estimate: 0, categories: 3 };

/** Bin of a ranking value in the list of an item without interactions, whose value is at most `(1 - information) (1 + categories)`. */
export function valueBin(value: number): number {
  return binOf(value / ((1 - relatedFormula.information) * (1 + relatedFormula.categories)));
}

/** Weight of the estimate in the information term of a candidate; the NPMI has the rest. */
export function estimateWeight({ prior, estimate }: RelatedFormula, users: number): number {
  return users + prior === 0 ? 0 : (estimate * prior) / (users + prior);
}

/** Weight of the NPMI in the information term of a candidate. */
export function npmiWeight({ prior }: RelatedFormula, users: number): number {
  return users === 0 ? 0 : users / (users + prior);
}
