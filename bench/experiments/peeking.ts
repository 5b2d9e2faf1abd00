/**
 * How often does an experiment that is read every day report a difference? Without a real difference: the error, compared with a test of fixed size that is
 * read every day. With a real difference: the power within the planned number of users, and the share of them that was needed.
 * @example node --import tsx bench/experiments/peeking.ts
 */
import { seededRandom, type SeededRandom } from '../../packages/platform/process/seededRandom.ts';
import { comparePreferences } from '../../packages/recommender/experiments/statistics/comparePreferences.ts';
import { compareRates, type Comparison } from '../../packages/recommender/experiments/statistics/compareRates.ts';
import { neededPreferences, neededUsers } from '../../packages/recommender/experiments/statistics/sampleSize.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';

const { values } = parseCommandLine({ options: { runs: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } } });
const runs = Number(values.runs);
/** An experiment without a real difference goes on for as many days after the planned ones. */
const plannedDays = 60;

interface Case {
  mode: 'split' | 'interleaved';
  baseRate: number;
  ratio: number;
  share: number;
  minimumEffect: number;
  /** Mean days between the first answer and the outcome; 0 for an outcome on the same day. */
  delayDays: number;
}

interface Outcome {
  found: boolean;
  fixedFound: boolean;
  /** Share of the planned users at the end of the experiment. */
  usedShare: number;
}

/** Number of successes in `trials` trials: jumps from success to success, so rare outcomes are cheap. */
function binomial(random: SeededRandom, trials: number, rate: number): number {
  if (rate > 0.5) return trials - binomial(random, trials, 1 - rate);
  const scale = 1 / Math.log1p(-rate);
  let successes = 0;
  for (let at = Math.floor(Math.log(1 - random.uniform()) * scale); at < trials; at += 1 + Math.floor(Math.log(1 - random.uniform()) * scale)) successes += 1;
  return successes;
}

/** Per arm: users so far, outcomes so far, and users whose outcome is still to come. */
interface Arm {
  users: number;
  conversions: number;
  waiting: number;
}

function addDay(random: SeededRandom, arm: Arm, users: number, rate: number, delayDays: number): void {
  arm.users += users;
  arm.waiting += binomial(random, users, rate);
  const arrived = delayDays === 0 ? arm.waiting : binomial(random, arm.waiting, 1 / (1 + delayDays));
  arm.waiting -= arrived;
  arm.conversions += arrived;
}

function isFound(comparison: Comparison | null): boolean {
  if (comparison === null) return false;
  const { difference, ratio } = comparison;
  return (difference.low > 0 && ratio.low > 1) || (difference.high < 0 && ratio.high < 1);
}

/** The usual two-proportion z test at 5 %, which assumes one reading. */
function fixedFinds(a: Arm, b: Arm): boolean {
  const pooled = (a.conversions + b.conversions) / (a.users + b.users);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.users + 1 / b.users));
  return error > 0 && Math.abs(b.conversions / b.users - a.conversions / a.users) > 1.959964 * error;
}

function simulateSplit(random: SeededRandom, { baseRate, ratio, share, minimumEffect, delayDays }: Case, daily: number, days: number): Outcome {
  const a: Arm = { users: 0, conversions: 0, waiting: 0 };
  const b: Arm = { users: 0, conversions: 0, waiting: 0 };
  let fixedFound = false;
  for (let day = 1; day <= days; day += 1) {
    const usersB = binomial(random, daily, share);
    addDay(random, a, daily - usersB, baseRate, delayDays);
    addDay(random, b, usersB, baseRate * ratio, delayDays);
    fixedFound ||= a.users > 0 && b.users > 0 && fixedFinds(a, b);
    if (isFound(compareRates(a, b, minimumEffect))) return { found: true, fixedFound, usedShare: day / plannedDays };
  }
  return { found: false, fixedFound, usedShare: days / plannedDays };
}

function simulateInterleaved(random: SeededRandom, { baseRate, ratio, minimumEffect }: Case, daily: number, days: number): Outcome {
  let users = 0;
  let a = 0;
  let b = 0;
  let fixedFound = false;
  for (let day = 1; day <= days; day += 1) {
    users += daily;
    const decided = binomial(random, daily, baseRate);
    const wins = binomial(random, decided, ratio / (1 + ratio));
    a += decided - wins;
    b += wins;
    fixedFound ||= a + b > 0 && Math.abs(b - a) > 1.959964 * Math.sqrt(a + b);
    if (isFound(comparePreferences({ users, a, b }, minimumEffect))) return { found: true, fixedFound, usedShare: day / plannedDays };
  }
  return { found: false, fixedFound, usedShare: days / plannedDays };
}

function simulate(each: Case, seed: number): (string | number)[] {
  const random = seededRandom(seed);
  const isNull = each.ratio === 1;
  const planned = each.mode === 'split' ? neededUsers(each) : neededPreferences({ outcomeRate: each.baseRate, minimumEffect: each.minimumEffect });
  const daily = Math.ceil(planned / plannedDays);
  const outcomes = Array.from({ length: runs }, () => (each.mode === 'split' ? simulateSplit : simulateInterleaved)(random, each, daily, isNull ? 2 * plannedDays : plannedDays));
  const found = outcomes.filter((outcome) => outcome.found).length / runs;
  const used = outcomes.map(({ usedShare }) => usedShare).sort((one, other) => one - other)[Math.floor(runs / 2)] ?? 1;
  return [
    each.mode, percent(each.baseRate), Number(each.ratio.toFixed(3)), percent(each.minimumEffect), each.mode === 'split' ? percent(each.share) : '–', each.delayDays, planned,
    percent(found), isNull ? percent(outcomes.filter(({ fixedFound }) => fixedFound).length / runs) : '–', isNull ? '–' : percent(used),
  ];
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}

const usual: Case = { mode: 'split', baseRate: 0.05, ratio: 1, share: 0.5, minimumEffect: 0.2, delayDays: 0 };
const cases: Case[] = [
  ...[0.001, 0.01, 0.05, 0.2, 0.5].map((baseRate) => ({ ...usual, baseRate })),
  { ...usual, minimumEffect: 0.1 },
  { ...usual, minimumEffect: 0.5 },
  { ...usual, minimumEffect: 1, baseRate: 0.01 },
  { ...usual, share: 0.1 },
  { ...usual, delayDays: 7 },
  { ...usual, mode: 'interleaved' },
  { ...usual, mode: 'interleaved', minimumEffect: 1 },
  ...[1.1, 1.2, 1.5].flatMap((ratio) => [0.01, 0.05, 0.2].map((baseRate) => ({ ...usual, baseRate, ratio, minimumEffect: Number((ratio - 1).toFixed(2)) }))),
  { ...usual, ratio: 1.5, minimumEffect: 0.2 },
  { ...usual, ratio: 1 / 1.2, minimumEffect: 0.2 },
  { ...usual, ratio: 1.2, share: 0.1 },
  { ...usual, mode: 'interleaved', ratio: 1.1, minimumEffect: 0.1 },
  { ...usual, mode: 'interleaved', ratio: 1.2, minimumEffect: 0.2 },
  { ...usual, mode: 'interleaved', ratio: 1.5, minimumEffect: 0.5 },
];

await reportTable({
  name: 'experiments-peeking',
  title: 'Experiments that are read every day',
  command: `node --import tsx bench/experiments/peeking.ts${values.runs === '10000' ? '' : ` --runs ${values.runs}`}`,
  data: `simulated: ${runs} experiments per row, planned for ${plannedDays} days, seed ${values.seed}`,
  columns: ['mode', 'base rate', 'true ratio', 'minimum detectable effect', 'share of b', 'mean delay in days', 'planned users', 'reported a difference', 'test of fixed size, read daily', 'users needed (median)'],
  rows: cases.map((each, at) => simulate(each, Number(values.seed) * 1000 + at)),
  notes: [
    'Each experiment is read after every day and ends with the first difference. With the true ratio 1, an experiment goes on for twice the planned days, and "reported a difference" is the error, which must be at most 5 %; the next column is the error of the usual z test at 5 % with the same readings. With another ratio, an experiment ends with its planned users, and "reported a difference" is the power, which the plan promises to be at least 80 %; the last column is the median share of the planned users at the end.',
    'The base rate of an interleaved experiment is the share of users with an outcome from an item of either arm. In rows with a delay, outcomes arrive on average that many days after the user, so readings count users whose outcome is still to come; their power is not planned. A plan is for increases: a decrease of the same ratio has fewer outcomes, so its power is lower.',
  ],
});
