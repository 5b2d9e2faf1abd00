/**
 * Measures the CPU time of computing all rows of the Gram matrix and the 800 best candidates of each row, the basis of an
 * item-kNN:
 *   node --import tsx bench/recommender/gram.ts TRAIN
 */
import { gramRows } from './gramRows.ts';
import { readUserItems, toPairs } from './readUserItems.ts';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: gram.ts TRAIN');
const data = toPairs(await readUserItems(path));
const before = process.cpuUsage();
const candidates = gramRows(data);
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ name: 'candidates', cpu_seconds: (user + system) / 1e6, candidates })}\n`);
