/**
 * Time of POST /v1/recommender/recommend without and with a filter of five clauses, at a million items: p99 as a ratio in one run, in this process (HTTP adds the
 * same to both). Then the longest pause that an explanation makes for other queries.
 * @example node --max-old-space-size=8000 --import tsx bench/serving/filters.ts
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@vouch/recommender/engine/linear/random';
import { openModel } from '@vouch/recommender/engine/modelFile/openModel';
import { Recommender } from '@vouch/recommender/engine/query/recommender';
import { writeModel } from '@vouch/recommender/engine/writeModel';
import { explainPair } from '@vouch/recommender/recommendations/explanation/explainPair';
import { Steering } from '@vouch/recommender/recommendations/steering/steering';
import { writeLists } from '@vouch/recommender/recommendations/writeLists';
import { quantile, median, medianInterval } from '../harness/interleave.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';
import { generateLargeModel } from '../recommender/largeModel.ts';

const { values } = parseCommandLine({ options: { items: { type: 'string', default: '1000000' }, queries: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '5' } } });
const [items, queries, rounds] = [Number(values.items), Number(values.queries), Number(values.rounds)];
const users = items / 10;
const pad = (number: number): string => String(number).padStart(9, '0');

const common = '!("genre 3" in item.genres) && item.maker != "maker 2" && item.stock && item.year >= 1980';
/** Filters of five clauses. */
const filters = {
  'five clauses': `item.price < 60 && ${common}`,
  'five clauses, one with the user': `item.price < user.budget && ${common}`,
  'five clauses, few pass': `item.price < 2.5 && ${common}`,
} as const;

const model = generateLargeModel({
  items, historyLength: 30, stride: 9_973,
  metadata: (kind, number) => (kind === 'user' ? '{"budget": 60}' : JSON.stringify({
    price: (number * 37 % 1_000) / 10, genres: [`genre ${number % 10}`, `genre ${number % 7}`], maker: `maker ${number * 13 % 500}`, stock: number * 11 % 100 < 80, year: 1950 + number * 29 % 77,
  })),
});
const folder = await mkdtemp(join(tmpdir(), 'vouch-bench-'));
const path = join(folder, 'model');
await writeModel(model, path);
const reader = await openModel(path);
const recommender = new Recommender(reader);
const open = { recommender, version: 1 } as Parameters<typeof writeLists>[0];
const random = createRandom(7);

const item = (): string => `item-${pad(random.below(items))}`;
const session = (length: number) => () => ({ history: Array.from({ length }, () => ({ id: item() })) });
const user = (): { entity_id: string } => ({ entity_id: `user-${pad(items + random.below(users))}` });
/** Lists for a history that the model does not have are computed; of a user without new events, the model has the first 100 items. */
const questions: readonly { who: string; filter: keyof typeof filters; question: () => object; goal: string }[] = [
  { who: 'a session of 5 items', filter: 'five clauses', question: session(5), goal: '<= 2' },
  { who: 'a session of 30 items', filter: 'five clauses', question: session(30), goal: '<= 2' },
  { who: 'an item', filter: 'five clauses', question: () => ({ entity_id: item() }), goal: '<= 2' },
  { who: 'a user whose list the model has', filter: 'five clauses', question: user, goal: '<= 2' },
  { who: 'a user whose list the model has', filter: 'five clauses, one with the user', question: user, goal: '<= 2' },
  { who: 'a session of 30 items', filter: 'five clauses, few pass', question: session(30), goal: '' },
  { who: 'a user whose list the model has', filter: 'five clauses, few pass', question: user, goal: '' },
];

/** Share of items that pass a filter, in percent. */
function passing(name: keyof typeof filters): string {
  const steering = new Steering(reader, { filter: filters[name] });
  steering.begin(reader.findNode(`user-${pad(items)}`));
  const passed = Array.from({ length: 1_000 }, () => random.below(items)).filter((each) => steering.accepts(each));
  return `${(passed.length / 10).toFixed(0)} % pass`;
}

interface Percentiles {
  p50: number;
  p99: number;
}

/** Milliseconds of the processor per answer without and with the filter; the two alternate query by query. Other programs disturb the clock more. */
function measure(question: () => object, filter: string): { without: Percentiles; with: Percentiles } {
  const times = { without: [] as number[], with: [] as number[] };
  for (let query = 0; query < queries; query += 1) {
    const body = question();
    for (const way of query % 2 === 0 ? ['without', 'with'] as const : ['with', 'without'] as const) {
      const started = process.cpuUsage();
      writeLists(open, 'bench', 'id', { max_recommendations: 20, ...body, ...(way === 'with' ? { filter } : {}) });
      const { user, system } = process.cpuUsage(started);
      times[way].push((user + system) / 1_000);
    }
  }
  const percentiles = (of: readonly number[]): Percentiles => ({ p50: quantile(of, 0.5), p99: quantile(of, 0.99) });
  return { without: percentiles(times.without), with: percentiles(times.with) };
}

async function longestBlock(source: object): Promise<{ longest: number; whole: number }> {
  let longest = 0;
  let since = performance.now();
  const rest = async (): Promise<void> => {
    longest = Math.max(longest, performance.now() - since);
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  };
  const started = performance.now();
  await explainPair(recommender, { ...source, target_id: item(), max_recommendations: 10 }, rest);
  return { longest: Math.max(longest, performance.now() - since), whole: performance.now() - started };
}

try {
  const rows: string[][] = [];
  for (const { who, filter, question, goal } of questions) {
    measure(question, filters[filter]);
    const measured = Array.from({ length: rounds }, () => measure(question, filters[filter]));
    const ratioOf = (which: keyof Percentiles): string => {
      const ratios = measured.map((each) => each.with[which] / each.without[which]);
      return formatRatio({ ratio: median(ratios), ...medianInterval(ratios) });
    };
    const ms = (way: 'with' | 'without', which: keyof Percentiles): string => median(measured.map((each) => each[way][which])).toFixed(2);
    rows.push([`recommend for ${who}; ${filter}, ${passing(filter)}`, ratioOf('p99'), goal, ratioOf('p50'), `p99 ${ms('with', 'p99')} / ${ms('without', 'p99')} ms, p50 ${ms('with', 'p50')} / ${ms('without', 'p50')} ms`]);
  }
  for (const [who, question] of [['a user', user], ['trending items', (): { entity_id?: string } => ({})]] as const) {
    const blocks: { longest: number; whole: number }[] = [];
    for (let query = 0; query < 20; query += 1) blocks.push(await longestBlock({ source_id: question().entity_id }));
    rows.push([`explain of ${who}: longest time without a pause / whole time`, (median(blocks.map(({ longest, whole }) => longest / whole))).toFixed(2), '', '', `longest ${Math.max(...blocks.map(({ longest }) => longest)).toFixed(0)} ms, whole ${Math.max(...blocks.map(({ whole }) => whole)).toFixed(0)} ms`]);
  }
  await reportTable({
    name: 'filters',
    title: 'Filters and explanations at a million items',
    command: `node --max-old-space-size=8000 --import tsx bench/serving/filters.ts ${process.argv.slice(2).join(' ')}`.trim(),
    data: `generated model: ${items} items with 100 neighbours each, ${users} users with 30 items each, five metadata columns`,
    columns: ['what', 'p99 with / without the filter', 'goal', 'p50 with / without', 'processor time'],
    rows,
    notes: [`Lists of 20. Medians over ${rounds} rounds of ${queries} queries with 95 % intervals; queries with and without the filter alternate. One of the five clauses reads a list.`],
  });
} finally {
  await reader.close();
  await rm(folder, { recursive: true });
}
