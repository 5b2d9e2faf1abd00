/**
 * What a score means. Holds out the last tenth of each user's interactions (or takes a test file), trains on the rest and prints,
 * for users' lists and for lists of related items: the share of the entries that come true by score, how many of the first 100
 * entries each threshold leaves, and how many of the first ten scores differ. A user's entry comes true if the item is held out.
 * A related item comes true for a user of the source if it is among the user's held-out items; the source is the user's last item.
 *   node --import tsx bench/recommender/scores.ts <folder of ml-latest-small, gowalla or shop-sparse> [--users 2000] [--all-pairs]
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import type { TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { openModel } from '../../packages/recommender/engine/modelFile/openModel.ts';
import { Row } from '../../packages/recommender/engine/modelFile/wordRows.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import { writeModel } from '../../packages/recommender/engine/writeModel.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { holdOutLatest } from './holdOut.ts';
import { mean, printTable } from './rankings.ts';
import { readMovieLens, toTrainingData } from './readData.ts';
import { itemId, readUserItems, toPairs, userId } from './readUserItems.ts';

const usage = 'usage: scores.ts <folder of a data set> [--users 2000] [--all-pairs]';
const { values: flags, positionals } = parseCommandLine({
  allowPositionals: true,
  options: { users: { type: 'string', default: '2000' }, 'all-pairs': { type: 'boolean', default: false } },
}, usage);
const [folder] = positionals;
if (folder === undefined) stopCommand('The folder is missing.', usage);
const thresholds = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7];
const limit = 100;

const { data, wanted } = await read(folder);
const sparse = { ...defaultSetting, pb: -0.05, T: -1, b: 1, allPairs: true };
const timed = data.pairs.time.some((time) => !Number.isNaN(time)) ? { recency: true, transitions: 0.3 } : {};
const options = { setting: { ...(flags['all-pairs'] ? sparse : defaultSetting), ...timed }, seed: 1 };
const scratch = mkdtempSync(join(tmpdir(), 'scores-'));
const path = join(scratch, 'model');
await writeModel(computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {}), path);
const model = await openModel(path);
rmSync(scratch, { recursive: true });
const recommender = new Recommender(model);

/** Entries by tenth of the score: how many, and how many came true; and what the lists look like. */
class Curve {
  readonly entries = new Float64Array(10);
  readonly hits = new Float64Array(10);
  readonly left = thresholds.map((): number[] => []);
  readonly distinct: number[] = [];

  add(node: number, later: ReadonlySet<string>): void {
    const { count, item, score } = recommender.recommend(node, { types: null, limit, threshold: 0 });
    if (count === 0) return;
    for (let rank = 0; rank < count; rank++) {
      const bin = Math.min(9, Math.floor(10 * (score[rank] as number)));
      this.entries[bin] = (this.entries[bin] as number) + 1;
      if (later.has(model.ids.get(model.itemNode[item[rank] as number] as number))) this.hits[bin] = (this.hits[bin] as number) + 1;
    }
    thresholds.forEach((threshold, at) => this.left[at]?.push(score.subarray(0, count).filter((value) => value >= threshold).length));
    if (count >= 10) this.distinct.push(new Set(Array.from(score.subarray(0, 10), (value) => value.toFixed(6))).size);
  }
}

const users = new Curve();
const items = new Curve();
const asked = [...wanted].filter(([user]) => model.findNode(user) >= 0);
const step = Math.max(1, Math.floor(asked.length / Number(flags.users)));
for (const [user, later] of asked.filter((_, at) => at % step === 0)) {
  const node = model.findNode(user);
  const expected = new Set(later);
  users.add(node, expected);
  const last = lastOf(node);
  if (last >= 0) items.add(model.itemNode[last] as number, expected);
}
print('users', users);
print('related items', items);
await model.close();

/** The last item of a user's history, -1 for none. */
function lastOf(node: number): number {
  const row = new Row();
  model.history.read(model.nodeUser[node] as number, row);
  return row.count === 0 ? -1 : (row.ints[row.start + row.count - 1] as number);
}

function print(name: string, { entries, hits, left, distinct }: Curve): void {
  console.log(`\n${name}: ${left[0]?.length} lists, ${mean(distinct).toFixed(1)} different scores among the first ten`);
  printTable(['score', 'entries', 'came true'], Array.from(entries, (count, bin) => [
    `${bin / 10}–${(bin + 1) / 10}`, String(count), count === 0 ? '' : `${((100 * (hits[bin] as number)) / count).toFixed(3)} %`,
  ]));
  printTable(['threshold', 'entries left of 100', 'lists left empty'], thresholds.map((threshold, at) => {
    const counts = left[at] ?? [];
    return [String(threshold), mean(counts).toFixed(1), `${((100 * counts.filter((count) => count === 0).length) / counts.length).toFixed(1)} %`];
  }));
}

async function read(from: string): Promise<{ data: TrainingData; wanted: ReadonlyMap<string, readonly string[]> }> {
  if (existsSync(join(from, 'ratings.csv'))) {
    const { entities, pairs } = readMovieLens(from);
    return holdOutLatest(toTrainingData(entities, pairs));
  }
  const test = await readUserItems(join(from, 'test.txt'));
  return {
    data: toPairs(await readUserItems(join(from, 'train.txt'))),
    wanted: new Map([...test].map(([user, own]) => [userId(user), own.map(itemId)])),
  };
}
