import { usualAls } from '../ridge/alsMatrix.ts';
import { requiredErrors, type Results } from './results.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Votes of the setting that the search chose, divided between its operator and its ridge, and number of votes that are then given one by one. */
const firstVotes = 4;
const furtherVotes = 4;

interface Votes {
  operator: number;
  ridge: number;
  als: number;
}

/** What a mixture needs of a search. */
interface Mixing {
  results: Pick<Results, 'ordered' | 'contenders'>;
  /** Weights at which the summands have the same 20th values as the operator; 0 for a summand without values. */
  scale: { ridge: number; als: number };
  /** Confidence of alternating least squares, see `AlsOptions`. */
  confidence: number;
  /** Measures settings on all deciding users. */
  measure: (settings: readonly OperatorSetting[]) => void;
  /** One object for equal settings. */
  same: (setting: OperatorSetting) => OperatorSetting;
}

/**
 * Mixes operator, ridge and alternating least squares: each vote goes to the summand with which the lists are best (ensemble selection with
 * replacement, Caruana et al. 2004), and the weights follow the votes, in units in which the summands have the same 20th values. The votes for the chosen setting keep the
 * few deciding users of small data from deciding everything, and of the mixtures that list as well as the best one but for chance, the mean is taken (bench/results/recommend-peers.md). A
 * setting without summands is left for such a mixture, because whole rows flatter it: its rows are cut to fewer entries, all of them positive.
 * @param chosen setting to begin at, with all pairs
 * @param lambda penalty of the ridge, if the setting has none
 * @returns the mean of the best mixtures, or the chosen setting if all are clearly worse
 */
export function mixSummands({ results, scale, confidence, measure, same }: Mixing, chosen: OperatorSetting, lambda: number): OperatorSetting {
  const { ridge = 0, lambda: penalty = lambda, als: _, confidence: __, ...plain } = chosen;
  if (scale.ridge === 0 || scale.als === 0) return chosen;
  const settingOf = ({ operator, ridge: ridgeVotes, als }: Votes): OperatorSetting => same({
    ...plain,
    ...(ridgeVotes === 0 ? {} : { ridge: rounded((scale.ridge * ridgeVotes) / operator), lambda: penalty }),
    ...(als === 0 ? {} : { als: rounded((scale.als * als) / operator), ...(confidence === usualAls.confidence ? {} : { confidence }) }),
  });
  const share = ridge / (ridge + scale.ridge);
  let votes: Votes = { operator: firstVotes * (1 - share), ridge: firstVotes * share, als: 0 };
  const tried = new Map([[chosen, votes]]);
  measure([chosen]);
  for (let step = 0; step < furtherVotes; step++) {
    const next = (['operator', 'ridge', 'als'] as const).map((kind) => ({ ...votes, [kind]: votes[kind] + 1 }));
    const settings = new Map(next.map((each) => [settingOf(each), each]));
    measure([...settings.keys()]);
    const [best = chosen] = results.ordered([...settings.keys()]);
    votes = settings.get(best) ?? votes;
    for (const [setting, each] of settings) tried.set(setting, each);
  }
  const [best = chosen] = results.ordered([...tried.keys()]);
  const level = results.contenders([...tried.keys()], tried.size, requiredErrors).filter(isMixed);
  if (level.length === 0) return best;
  const middle = settingOf(meanOf(level.map((setting) => tried.get(setting) as Votes)));
  measure([middle]);
  return results.contenders([best, middle], 2, requiredErrors).includes(middle) ? middle : best;
}

const isMixed = ({ ridge = 0, als = 0 }: OperatorSetting): boolean => ridge > 0 || als > 0;

/** The mean of several divisions of votes, each with the same weight. */
function meanOf(all: readonly Votes[]): Votes {
  const mean = { operator: 0, ridge: 0, als: 0 };
  for (const { operator, ridge, als } of all) {
    const sum = (operator + ridge + als) * all.length;
    mean.operator += operator / sum;
    mean.ridge += ridge / sum;
    mean.als += als / sum;
  }
  return mean;
}

function rounded(weight: number): number {
  return Number(weight.toPrecision(3));
}
