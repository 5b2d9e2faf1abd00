/**
 * Measures the resident memory of a process that serves a generated model of many items with 100 neighbours each.
 *   node --import tsx bench/recommender/servingMemory.ts write <file> [items]
 *   node --import tsx bench/recommender/servingMemory.ts answer <file>
 */
import { readFileSync } from 'node:fs';
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import { openModel } from '../../packages/recommender/engine/modelFile/openModel.ts';
import { writeModel } from '../../packages/recommender/engine/writeModel.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import { generateLargeModel } from './largeModel.ts';
import { printTable } from './rankings.ts';

const [task, file, size] = process.argv.slice(2);
if (file === undefined || (task !== 'write' && task !== 'answer')) throw new Error('usage: servingMemory.ts write|answer <file> [items]');
const resident = (name: 'VmRSS' | 'VmHWM'): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024;

if (task === 'write') {
  await writeModel(generateLargeModel({ items: Number(size ?? 1_000_000), historyLength: 10, stride: 7, metadata: () => '' }), file);
} else {
  const empty = resident('VmRSS');
  const model = await openModel(file);
  const recommender = new Recommender(model);
  const opened = resident('VmRSS');
  const random = createRandom(3);
  const all = { limit: 100, threshold: 0, types: null };
  let entries = 0;
  const start = performance.now();
  const queries = 50_000;
  for (let query = 0; query < queries; query++) entries += recommender.recommend(random.below(model.facts.nodes), all).count;
  const microseconds = (1000 * (performance.now() - start)) / queries;
  printTable(
    ['items', 'users', 'MB before', 'MB opened', 'MB after 50,000 answers', 'peak MB', 'µs an answer', 'entries an answer'],
    [[
      String(model.facts.items), String(model.facts.users), empty.toFixed(0), opened.toFixed(0), resident('VmRSS').toFixed(0), resident('VmHWM').toFixed(0),
      microseconds.toFixed(0), (entries / queries).toFixed(0),
    ]],
  );
}
