/**
 * Quality of trending items where items are in demand for a short time, such as news, on generated data: each day brings new items, whose demand
 * halves with a given half-life, and the 20 trending items are compared with the interactions of the next day. Prints their share of these interactions,
 * mean of three seeds, with the default half-life, half-lives that a training sets, and the 20 items with most interactions of the next day.
 *   node --import tsx bench/recommender/trendingShortLived.ts
 */
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import { computeTrend } from '../../packages/recommender/engine/time/computeTrend.ts';
import { mean, printTable, topOf } from './rankings.ts';

const day = 86_400_000;
const length = 20;
const halfLives = [undefined, 1, 3, 7, 14];
const seeds = [1, 2, 3];

interface Site {
  name: string;
  days: number;
  itemsPerDay: number;
  interactionsPerDay: number;
  /** Half-life of the demand for an item, in days. */
  life: number;
}

const sites: readonly Site[] = [
  { name: 'news, a month', days: 29, itemsPerDay: 20, interactionsPerDay: 2000, life: 0.7 },
  { name: 'news, a year', days: 365, itemsPerDay: 20, interactionsPerDay: 2000, life: 0.7 },
  { name: 'news, a year, few readers', days: 365, itemsPerDay: 20, interactionsPerDay: 60, life: 0.7 },
  { name: 'news, a year, many articles', days: 365, itemsPerDay: 100, interactionsPerDay: 5000, life: 2 },
  { name: 'podcasts, a year', days: 365, itemsPerDay: 5, interactionsPerDay: 1000, life: 7 },
  { name: 'fashion, a year', days: 365, itemsPerDay: 5, interactionsPerDay: 1000, life: 30 },
  { name: 'lasting items, two months', days: 60, itemsPerDay: 5, interactionsPerDay: 1000, life: 1000 },
];

/** Interactions [item, time in ms] of the days before the last one, and the number of the last day by item. */
function generate({ days, itemsPerDay, interactionsPerDay, life }: Site, seed: number): { past: [number, number][]; next: Float64Array } {
  const random = createRandom(seed);
  const items = days * itemsPerDay;
  const appeal = Float64Array.from({ length: items + itemsPerDay }, () => (1 - random.uniform()) ** (-1 / 1.3));
  const past: [number, number][] = [];
  const next = new Float64Array(items);
  for (let at = 0; at <= days; at += 1) {
    const first = Math.max(0, Math.floor((at - 3 * life) * itemsPerDay));
    let sum = 0;
    const sums = Array.from(appeal.subarray(first, (at + 1) * itemsPerDay), (value, place) => (sum += value * 2 ** ((Math.floor((first + place) / itemsPerDay) - at) / life)));
    for (let count = 0; count < interactionsPerDay; count += 1) {
      const drawn = random.uniform() * sum;
      const item = first + sums.findIndex((value) => value >= drawn);
      if (at < days) past.push([item, (at + random.uniform()) * day]);
      else if (item < items) next[item] = (next[item] ?? 0) + 1;
    }
  }
  return { past, next };
}

function shareOfNext(order: ArrayLike<number>, next: Float64Array): number {
  return Array.from(topOf(Float64Array.from(order), length)).reduce((sum, item) => sum + (next[item] ?? 0), 0) / next.reduce((sum, count) => sum + count, 0);
}

const rows = sites.map((site) => {
  const shares = seeds.map((seed) => {
    const { past, next } = generate(site, seed);
    const history = { pointer: Float64Array.of(0, past.length), index: Int32Array.from(past, ([item]) => item), time: Float64Array.from(past, ([, time]) => time) };
    return [...halfLives.map((halfLife) => shareOfNext(computeTrend(history, next.length, halfLife).trend, next)), shareOfNext(next, next)];
  });
  return [site.name, ...[...halfLives, 0].map((_, column) => mean(shares.map((of) => of[column] ?? 0)).toFixed(3))];
});
printTable(['data', ...halfLives.map((halfLife) => (halfLife === undefined ? 'default' : `${halfLife} days`)), 'best possible'], rows);
