/**
 * Compares the scores of related items with the scores that the full data gives: every thirteenth item with at least 20 interactions loses all of them (or all but
 * the first few), and its lists are scored by metadata. The other items are the comparison.
 *   node --import ./bench/harness/compiled.mjs bench/recommender/coldScores.ts <folder of ml-latest-small> [--kept 0] [--part 5]
 *   node --import ./bench/harness/compiled.mjs bench/recommender/coldScores.ts --interactions ml-100k.inter --items ml-100k.item
 *   node --import ./bench/harness/compiled.mjs bench/recommender/coldScores.ts --generated 3|6|20|60 [--seed 41]
 */
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { pairScore } from '../../packages/recommender/engine/scores/pairScores.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { mean, printTable } from './rankings.ts';
import { toTrainingData } from './readData.ts';
import { describedOptions, describedUsage, readDescribed } from './readDescribed.ts';

const usage = `usage: coldScores.ts ${describedUsage}, each with [--kept 0] [--part 5]`;
const { values: flags, positionals: [folder] } = parseCommandLine({
  allowPositionals: true,
  options: {
    ...describedOptions,
    kept: { type: 'string', default: '0' }, part: { type: 'string', default: '5' },
  },
}, usage);
const kept = Number(flags.kept);
const { entities, pairs } = readDescribed(flags, folder) ?? stopCommand('No data.', usage);
const options = { setting: defaultSetting, seed: 1 };
const audiences = new Map<string, Set<string>>();
for (const { source, target } of pairs) audiences.set(target, (audiences.get(target) ?? new Set()).add(source));
const users = new Set(pairs.map(({ source }) => source)).size;
const known = [...audiences].filter(([, audience]) => audience.size >= 20).map(([id]) => id).sort();
const hidden = new Set(known.filter((_, at) => at % 13 === Number(flags.part)));
const keptOf = new Map<string, number>();
const data = toTrainingData(entities, pairs.filter(({ target }) => {
  if (!hidden.has(target)) return true;
  const before = keptOf.get(target) ?? 0;
  keptOf.set(target, before + 1);
  return before < kept;
}));
const { related, itemNode, nodes } = computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});

/** The score of two items by all interactions. */
function trueScore(item: string, other: string): number {
  const [own = new Set(), others = new Set()] = [audiences.get(item), audiences.get(other)];
  return pairScore([...own].filter((user) => others.has(user)).length, own.size, others.size, users);
}

/** Mean listed and true score of the items' related items at some ranks, and the mean distance between the two. */
function scoresAt(group: ReadonlySet<string>, first: number, last: number): string[] {
  const found: { listed: number; actual: number }[] = [];
  for (const [item, node] of itemNode.entries()) {
    const id = nodes.ids[node] ?? '';
    const start = related.pointer[item] ?? 0;
    if (!group.has(id)) continue;
    for (let at = start + first - 1; at < Math.min(start + last, related.pointer[item + 1] ?? 0); at += 1) {
      const other = nodes.ids[itemNode[related.index[at] ?? 0] ?? 0] ?? '';
      found.push({ listed: related.score[at] ?? 0, actual: trueScore(id, other) });
    }
  }
  const listed = mean(found.map((each) => each.listed));
  const actual = mean(found.map((each) => each.actual));
  return [String(found.length), listed.toFixed(3), actual.toFixed(3), (listed - actual).toFixed(3), mean(found.map((each) => Math.abs(each.listed - each.actual))).toFixed(3)];
}

const groups: [string, ReadonlySet<string>][] = [[`with ${kept} interactions`, hidden], ['with at least 20', new Set(known.filter((id) => !hidden.has(id)))]];
const ranks: [string, number, number][] = [['1', 1, 1], ['5', 5, 5], ['1 to 10', 1, 10], ['20', 20, 20], ['100', 100, 100]];
printTable(
  ['items', 'rank', 'entries', 'score in the list', 'score by all interactions', 'difference', 'mean distance'],
  groups.flatMap(([label, items]) => ranks.map(([rank, first, last]) => [label, rank, ...scoresAt(items, first, last)])),
);
