/**
 * The lists of all items over HTTP as CSV and as JSON, beside another checkout, and what sending alone takes: processor time of the server, in turns.
 * @example node --import ./bench/harness/compiled.mjs bench/serving/servedExports.ts --before <dist/vouch.js of another checkout>
 */
import { median, medianInterval } from '../harness/interleave.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { listProcessTree } from '../harness/processTree.ts';
import { processorSeconds } from '../harness/processorSeconds.ts';
import { formatRatio, formatReport, machineLine, today } from '../harness/reportTable.ts';
import { serveVouch, vouchProgram } from '../harness/serveVouch.ts';
import { trainCatalogue, uploadCatalogue } from '../harness/uploadCatalogue.ts';
import { connectVouch } from '../harness/vouchClient.ts';
import { fetchStream } from './fetchStream.ts';
import { startMemoryServer } from './startMemoryServer.ts';

const { values } = parseCommandLine({ options: {
  before: { type: 'string' }, items: { type: 'string', default: '10000' }, users: { type: 'string', default: '20000' }, interactions: { type: 'string', default: '400000' },
  rounds: { type: 'string', default: '10' },
} });
const shape = { items: Number(values.items), users: Number(values.users), interactions: Number(values.interactions), seed: 1 };
const rounds = Number(values.rounds);
/** Processor time is counted in steps of 10 ms, so that one export is too short. */
const exportsAtOnce = 3;
const training = { parameters: { setting: { pu: -0.5, pa: -0.5, pb: -0.5, T: 1, b: 2 } } };

/** An answer that is measured. */
interface Contender {
  name: string;
  processId: number;
  url: string;
  key: string;
  bytes: number;
  seconds: number[];
}

async function usedSeconds(processId: number): Promise<number> {
  return (await listProcessTree(processId)).reduce((sum, process) => sum + processorSeconds(process), 0);
}

/** Reads the answer of a contender several times. @returns processor seconds of the server for one answer */
async function measure({ processId, url, key }: Contender): Promise<number> {
  const before = await usedSeconds(processId);
  for (let answer = 0; answer < exportsAtOnce; answer += 1) await fetchStream(url, key);
  return (await usedSeconds(processId) - before) / exportsAtOnce;
}

const running: { stop(): Promise<void> }[] = [];
const contenders: Contender[] = [];
let rows = 0;
let sample = '';

async function startVouch(name: string, program: string): Promise<void> {
  const vouch = await serveVouch({ program, environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn', VOUCH_TRAIN_NICENESS: '0' } });
  running.push(vouch);
  const client = connectVouch(vouch.url, vouch.key);
  await uploadCatalogue(client, shape);
  await trainCatalogue(client, 'm', training);
  for (const format of ['csv', 'json']) {
    const url = `${vouch.url}/v1/recommender/related_items?model_id=m&source_type=item&output_format=${format}`;
    const { bytes, rows: lines } = await fetchStream(url, vouch.key, (piece) => { if (sample.length < 1e6) sample += piece.toString('latin1'); });
    if (format === 'csv') rows = lines;
    contenders.push({ name: `${format.toUpperCase()}${name}`, processId: vouch.processId, url, key: vouch.key, bytes, seconds: [] });
  }
}

try {
  await startVouch('', vouchProgram);
  if (values.before !== undefined) await startVouch(', before', values.before);
  const memory = await startMemoryServer([sample]);
  running.push(memory);
  for (const { name, bytes } of contenders.slice(0, 2)) {
    contenders.push({ name: `bytes of ${name} from memory`, processId: memory.processId, url: `${memory.url}/stream?bytes=${bytes}`, key: 'none', bytes, seconds: [] });
  }
  for (let round = 0; round <= rounds; round += 1) {
    for (const contender of contenders) {
      const seconds = await measure(contender);
      // The first round warms up.
      if (round > 0) contender.seconds.push(seconds);
    }
  }
  const [csv] = contenders;
  console.log(formatReport({
    name: 'exports',
    title: 'The lists of all items over HTTP',
    command: `node --import ./bench/harness/compiled.mjs bench/serving/servedExports.ts --items ${shape.items} --rounds ${rounds}${values.before === undefined ? '' : ' --before <dist/vouch.js of another checkout>'}`,
    data: `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions, seed ${shape.seed}; ${rows} rows`,
    columns: ['answer', 'bytes per row', 'ns per row', 'ns per byte', 'time relative to CSV'],
    rows: contenders.map(({ name, bytes, seconds }) => {
      const ratios = seconds.map((value, round) => value / (csv?.seconds[round] ?? 1));
      const perRow = (1e9 * median(seconds)) / rows;
      return [name, (bytes / rows).toFixed(1), perRow.toFixed(0), ((perRow * rows) / bytes).toFixed(2), formatRatio({ ratio: median(ratios), ...medianInterval(ratios) })];
    }),
  }, machineLine(), today()));
} finally {
  for (const { stop } of running) await stop();
}
