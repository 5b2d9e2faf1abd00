/**
 * Compares the scores of related items with the scores that the full data gives, on MovieLens latest-small: every thirteenth film with at least
 * 20 ratings loses all of them, and its lists are scored by metadata. The other films are the comparison.
 *   node --import ./bench/harness/compiled.mjs bench/recommender/coldScores.ts <folder of ml-latest-small>
 */
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { pairScore } from '../../packages/recommender/engine/scores/pairScores.ts';
import { mean, printTable } from './rankings.ts';
import { readMovieLens, toTrainingData } from './readData.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: coldScores.ts <folder of ml-latest-small>');
const { entities, pairs } = readMovieLens(folder);
const options = { setting: defaultSetting, seed: 1 };
const audiences = new Map<string, Set<string>>();
for (const { source, target } of pairs) audiences.set(target, (audiences.get(target) ?? new Set()).add(source));
const users = new Set(pairs.map(({ source }) => source)).size;
const rated = [...audiences].filter(([, audience]) => audience.size >= 20).map(([id]) => id).sort();
const hidden = new Set(rated.filter((_, at) => at % 13 === 5));
const data = toTrainingData(entities, pairs.filter(({ target }) => !hidden.has(target)));
const { related, itemNode, nodes } = computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});

/** The score of two films by all ratings. */
function trueScore(film: string, other: string): number {
  const [own = new Set(), others = new Set()] = [audiences.get(film), audiences.get(other)];
  return pairScore([...own].filter((user) => others.has(user)).length, own.size, others.size, users);
}

/** Mean listed and true score of the films' items at a rank. */
function scoresAt(films: ReadonlySet<string>, rank: number): string[] {
  const found: { listed: number; actual: number }[] = [];
  for (const [item, node] of itemNode.entries()) {
    const film = nodes.ids[node] ?? '';
    const at = (related.pointer[item] ?? 0) + rank - 1;
    if (!films.has(film) || at >= (related.pointer[item + 1] ?? 0)) continue;
    const other = nodes.ids[itemNode[related.index[at] ?? 0] ?? 0] ?? '';
    found.push({ listed: related.score[at] ?? 0, actual: trueScore(film, other) });
  }
  return [String(found.length), mean(found.map(({ listed }) => listed)).toFixed(3), mean(found.map(({ actual }) => actual)).toFixed(3)];
}

const groups: [string, ReadonlySet<string>][] = [['without their ratings', hidden], ['with at least 20 ratings', new Set(rated.filter((id) => !hidden.has(id)))]];
printTable(
  ['films', 'rank', 'lists', 'score in the list', 'score by all ratings'],
  groups.flatMap(([label, films]) => [1, 5, 20, 100].map((rank) => [label, String(rank), ...scoresAt(films, rank)])),
);
