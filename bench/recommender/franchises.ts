/**
 * Are the films of a series, and the films of one director or actor, among each other's related items? Pairs come from the titles of
 * MovieLens (the same beginning, with at least five ratings each) and from tags that are names of persons. Half of the series are for
 * tuning, the other half for tests. Compares the lists of this model with orders by counts: shrunk NPMI, cosine, item-kNN with users
 * weighted by their activity, and users in common (as Gorse ranks neighbours). Also prints the mean number of users of the first ten.
 * Then prints how much of the first ten values comes from the term that rises with popularity, and from shared genres.
 *   node --import tsx bench/recommender/franchises.ts <folder of ml-latest-small> [--half tune | test | both]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import type { TrainedModel } from '../../packages/recommender/engine/data/trainedModel.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { popularityExponent } from '../../packages/recommender/engine/neighbours/boundCandidates.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { relatedFormula } from '../../packages/recommender/engine/neighbours/relatedFormula.ts';
import { pairScore } from '../../packages/recommender/engine/scores/pairScores.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { mean, printTable } from './rankings.ts';
import { readMovieLens, toTrainingData } from './readData.ts';

const usage = 'usage: franchises.ts <folder of ml-latest-small> [--half tune | test | both]';
const { values: flags, positionals } = parseCommandLine({ allowPositionals: true, options: { half: { type: 'string', default: 'tune' } } }, usage);
const [folder] = positionals;
if (folder === undefined || !['tune', 'test', 'both'].includes(flags.half)) stopCommand('The folder is missing, or --half is neither tune nor test nor both.', usage);
const leastRatings = 5;
const largestGroup = 12;
/** Pairs that people expect near the top: Seven Samurai and Yojimbo, The Matrix and its third part, and so on. */
const expected = [['2019', '3030'], ['2571', '6934'], ['858', '2023'], ['1', '78499'], ['1', '3114'], ['1', '2355']] as const;

const { entities, pairs } = readMovieLens(folder);
const data = toTrainingData(entities, pairs);
const options = { setting: defaultSetting, seed: 1 };
const model = computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});
const itemOf = new Map(data.nodes.ids.map((id, node) => [id, model.nodeItem[node] ?? -1]));
const degree = Float64Array.from(model.itemNode, (_, item) => rowOf(model.audience, item).length);
const orders: Record<string, (item: number) => Int32Array> = {
  'related items': (item) => rowOf(model.related, item),
  'shrunk NPMI': (item) => byCount(item, (common, _, other) => pairScore(common, degree[item] as number, degree[other] as number, model.userNode.length)),
  cosine: (item) => byCount(item, (common, _, other) => common / Math.sqrt(degree[other] as number)),
  'item-kNN, active users count less': (item) => byCount(item, (_, weighted, other) => weighted / Math.sqrt(degree[other] as number)),
  'users in common': (item) => byCount(item, (common) => common),
};
const halves = flags.half === 'both' ? ['tune', 'test'] : [flags.half];
for (const half of halves) {
  const asked = questions(half);
  console.log(`${asked.length} pairs to ${half === 'tune' ? 'tune on' : 'test'}`);
  printTable(
    ['order', 'recall@10', 'recall@100', 'users of the first ten', ...expected.map(([a, b]) => `${a} → ${b}`)],
    Object.entries(orders).map(([name, order]) => measure(name, order, asked)),
  );
  printOwed(new Set(asked.map(([source]) => source)));
}

function measure(name: string, order: (item: number) => Int32Array, asked: readonly (readonly [number, number])[]): string[] {
  const lists = new Map<number, Int32Array>();
  const listOf = (item: number): Int32Array => lists.get(item) ?? (lists.set(item, order(item)).get(item) as Int32Array);
  const places = asked.map(([source, target]) => listOf(source).indexOf(target));
  const within = (limit: number): string => mean(places.map((place) => (place >= 0 && place < limit ? 1 : 0))).toFixed(3);
  const users = mean([...lists.values()].flatMap((list) => Array.from(list.subarray(0, 10), (item) => degree[item] as number)));
  const ranks = expected.map(([source, target]) => {
    const place = listOf(itemOf.get(`film-${source}`) as number).indexOf(itemOf.get(`film-${target}`) as number);
    return place < 0 ? 'none' : String(place + 1);
  });
  return [name, within(10), within(100), users.toFixed(0), ...ranks];
}

interface Common {
  count: number;
  weighted: number;
}

/** Number of common users with each item, and the sum of the users' weights. */
function sumCommon(item: number): Map<number, Common> {
  const common = new Map<number, Common>();
  for (const user of rowOf(model.audience, item)) {
    const own = rowOf(model.history, user);
    for (const other of own) {
      if (other === item) continue;
      const sum = common.get(other) ?? { count: 0, weighted: 0 };
      sum.count += 1;
      sum.weighted += own.length ** -0.5;
      common.set(other, sum);
    }
  }
  return common;
}

/** Items with common users, largest value first. */
function byCount(item: number, valueOf: (common: number, weighted: number, other: number) => number): Int32Array {
  const valued = [...sumCommon(item)].map(([other, { count, weighted }]) => ({ other, value: valueOf(count, weighted, other) }));
  return Int32Array.from(valued.sort((a, b) => b.value - a.value || a.other - b.other).slice(0, 1000), ({ other }) => other);
}

/** Prints the mean and the largest share of a list's first ten values that the P-term and the factor of shared genres contribute. */
function printOwed(items: ReadonlySet<number>): void {
  const ofTerm: number[] = [];
  const ofGenres: number[] = [];
  for (const item of items) {
    const sums = sumCommon(item);
    const term = (other: number): number => (sums.get(other)?.weighted ?? 0) * (degree[other] as number) ** (popularityExponent - 0.5);
    const largest = Math.max(...[...sums.keys()].map(term));
    const start = model.related.pointer[item] as number;
    const first = Array.from(rowOf(model.related, item).subarray(0, 10), (other, place) => ({ other, value: model.related.value[start + place] as number }));
    const factor = (other: number): number => 1 + relatedFormula.categories * cosineOfGenres(item, other);
    const half = (1 - relatedFormula.information) / 2;
    ofTerm.push(mean(first.map(({ other, value }) => (half * term(other) * factor(other)) / largest / value)));
    ofGenres.push(mean(first.map(({ other }) => 1 - 1 / factor(other))));
  }
  const shown = (shares: number[]): string => `mean ${mean(shares).toFixed(2)}, largest of a list ${Math.max(...shares).toFixed(2)}`;
  console.log(`share of the first ten values from the term that rises with popularity: ${shown(ofTerm)}; from genres: ${shown(ofGenres)}`);
}

function cosineOfGenres(a: number, b: number): number {
  const [own, other] = [a, b].map((item) => {
    const { pointer, index, value, isCategory } = model.attributes;
    const entries = [...index.subarray(pointer[item], pointer[item + 1])].map((column, at) => [column, (value[(pointer[item] as number) + at] as number) ** 2] as const);
    return new Map(entries.filter(([column]) => isCategory[column] === 1));
  }) as [Map<number, number>, Map<number, number>];
  const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
  const length = Math.sqrt(sum(own.values()) * sum(other.values()));
  return length === 0 ? 0 : sum([...own].map(([column, square]) => (other.has(column) ? square : 0))) / length;
}

/** Ordered pairs of items of one group; the groups of one half. */
function questions(half: string): [number, number][] {
  const groups = new Map<string, number[]>();
  const add = (group: string, item: number): void => {
    if (item >= 0 && (degree[item] as number) >= leastRatings && !groups.get(group)?.includes(item)) groups.set(group, [...(groups.get(group) ?? []), item]);
  };
  for (const { id, name } of entities) add(seriesOf(name), itemOf.get(id) ?? -1);
  for (const line of readFileSync(join(folder as string, 'tags.csv'), 'utf8').split(/\r?\n/).slice(1)) {
    const [, film, tag = ''] = line.split(',');
    if (/^[A-Z][a-z]+(?: [A-Z]\.?[a-z]*)? [A-Z][a-z]+$/.test(tag)) add(`tag ${tag}`, itemOf.get(`film-${film}`) ?? -1);
  }
  const ofHalf = [...groups].filter(([name, { length }]) => length > 1 && length <= largestGroup && name.length >= 4 && halfOf(name) === half);
  return ofHalf.flatMap(([, items]) => items.flatMap((a) => items.filter((b) => b !== a).map((b): [number, number] => [a, b])));
}

/** The beginning of a title, without year, article, number and subtitle. */
function seriesOf(title: string): string {
  const [whole = ''] = title.replaceAll(/\s*\([^)]*\)/g, '').split(/:| - /);
  return whole.trim().replace(/, (?:The|A|An)$/, '').replace(/\s+(?:\d{1,2}|I{1,3}|IV|VI{0,3}|IX|X|Part\b.*|Episode\b.*)$/, '').replace(/ and the .*$/, '').toLowerCase();
}

function halfOf(name: string): string {
  let sum = 0;
  for (const character of name) sum = (31 * sum + character.charCodeAt(0)) >>> 0;
  return sum % 2 === 0 ? 'tune' : 'test';
}

function rowOf({ pointer, index }: Pick<TrainedModel['audience'], 'pointer' | 'index'>, row: number): Int32Array {
  return index.subarray(pointer[row], pointer[row + 1]);
}
