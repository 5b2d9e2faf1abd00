/**
 * Exports of all lists as CSV, as JSON, and as JSON with reasons, as ratios of processor time in one run.
 * @example node --import ./bench/harness/compiled.mjs bench/serving/exports.ts --nodes 10000 --rounds 15
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openModel } from '@vouch/recommender/engine/modelFile/openModel';
import { Recommender } from '@vouch/recommender/engine/query/recommender';
import { writeModel } from '@vouch/recommender/engine/writeModel';
import type { AnswerOptions } from '@vouch/recommender/recommendations/steering/rankList';
import { exportAsPlainJson, relatedAsCsv, relatedAsJson, relatedAsPlainJson } from '@vouch/recommender/recommendations/writeAnswer';
import { randomModel } from '@vouch/recommender/testing/randomModel';
import { median, medianInterval } from '../harness/interleave.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { formatRatio, formatReport, machineLine, today } from '../harness/reportTable.ts';

const { values } = parseCommandLine({ options: { nodes: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '5' } } });
const nodes = Number(values.nodes);
const rounds = Number(values.rounds);
/** Reasons take so long that they are timed on a part of the sources. */
const explainedSources = Math.min(nodes, 500);
const options: AnswerOptions = { types: null, limit: 100, threshold: 0, offset: 0, steering: null };

/** The client reads each piece before the next is made. */
const nothingPending = (): number => 0;

/** Consumes an export. @returns seconds of the processor, which other programs disturb less than the clock, and bytes of the answer */
function time(pieces: Iterable<string | Buffer>): { seconds: number; bytes: number } {
  const start = process.cpuUsage();
  let bytes = 0;
  for (const piece of pieces) bytes += typeof piece === 'string' ? Buffer.from(piece).length : piece.length;
  const { user, system } = process.cpuUsage(start);
  return { seconds: (user + system) / 1e6, bytes };
}

function compare(ours: readonly number[], theirs: readonly number[]): string {
  const ratios = ours.map((seconds, round) => seconds / (theirs[round] ?? 1));
  return formatRatio({ ratio: median(ratios), ...medianInterval(ratios) });
}

const folder = await mkdtemp(join(tmpdir(), 'vouch-exports-'));
try {
  const ids = Array.from({ length: nodes }, (_, node) => `entity-${String(node).padStart(7, '0')}`);
  await writeModel(randomModel({ ids, types: 2, itemShare: 0.8, attributes: 50, rank: 64, seed: 1 }), join(folder, 'model'));
  const recommender = new Recommender(await openModel(join(folder, 'model')));
  const all = Array.from({ length: recommender.model.nodeType.length }, (_, node) => node);
  const some = all.slice(0, explainedSources);
  const times = { csv: [] as number[], exported: [] as number[], json: [] as number[], someCsv: [] as number[], explained: [] as number[] };
  const bytes = { csv: 0, json: 0 };
  for (let round = 0; round <= rounds; round += 1) {
    const csv = time(relatedAsCsv(recommender, all, options, { safe: false }, nothingPending));
    const exported = time(exportAsPlainJson(recommender, all, options, nothingPending));
    const json = time(relatedAsPlainJson(recommender, all, options));
    const someCsv = time(relatedAsCsv(recommender, some, options, { safe: false }));
    const explained = time(relatedAsJson(recommender, some, options));
    // The first round warms up.
    if (round === 0) continue;
    times.csv.push(csv.seconds);
    times.exported.push(exported.seconds);
    times.json.push(json.seconds);
    times.someCsv.push(someCsv.seconds);
    times.explained.push(explained.seconds);
    [bytes.csv, bytes.json] = [csv.bytes, json.bytes];
  }
  await recommender.model.close();
  console.log(formatReport({
    name: 'exports',
    title: 'Exports of all lists',
    command: `node --import ./bench/harness/compiled.mjs bench/serving/exports.ts --nodes ${nodes} --rounds ${rounds}`,
    data: `random model of ${nodes} entities, 80 % of them items, lists of up to 100`,
    columns: ['answer', 'time relative to CSV', 'bytes relative to CSV'],
    rows: [
      ['JSON, as exported', compare(times.exported, times.csv), (bytes.json / bytes.csv).toFixed(2)],
      ['JSON, as in short answers', compare(times.json, times.csv), (bytes.json / bytes.csv).toFixed(2)],
      [`JSON with reasons, ${some.length} sources`, compare(times.explained, times.someCsv), '-'],
    ],
  }, machineLine(), today()));
} finally {
  await rm(folder, { recursive: true, force: true });
}
