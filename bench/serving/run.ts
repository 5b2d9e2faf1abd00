import { interleave, median, type RatioReport } from '../harness/interleave.ts';
import { measureRss, residentBytes } from '../harness/measureRss.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';
import { serveVouch, type ServedVouch } from '../harness/serveVouch.ts';
import { trainCatalogue, uploadCatalogue } from '../harness/uploadCatalogue.ts';
import { connectVouch, type VouchClient } from '../harness/vouchClient.ts';
import { connections, runLoad } from './load.ts';
import { fetchBodies } from './fetchBodies.ts';
import { fetchSourceIds, fetchStream } from './fetchStream.ts';
import { startMemoryServer, type MemoryServer } from './startMemoryServer.ts';

/** Parameters that both measurements share. */
interface Setting {
  url: string;
  key: string;
  modelId: string;
  /** Process id of the server, for reading its memory; null if the user started the server and did not name the process. */
  processId: number | null;
  /** Resident bytes of the server and its children before the first measurement. */
  idleBytes: number;
  client: VouchClient;
  ids: string[];
  /** Entity type of the items. */
  sourceType: string;
  rounds: number;
  seconds: number;
}

type Row = (string | number)[];

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

/** (a) Compares related items of one entity with the same bytes from memory: for entities of all types, and for one type only. */
async function measureLookups(setting: Setting, yardstick: MemoryServer): Promise<Row[]> {
  const { url, key, modelId } = setting;
  const typed = new Set(await fetchSourceIds(url, key, modelId, setting.sourceType));
  const items = setting.ids.filter((id) => typed.has(id));
  const users = setting.ids.filter((id) => !typed.has(id));
  const rows = await measureIds(setting, yardstick, 'all', '>= 0.6');
  if (items.length > 0) rows.push(...(await measureIds({ ...setting, ids: items }, yardstick, 'items', '')));
  if (users.length > 0) rows.push(...(await measureIds({ ...setting, ids: users }, yardstick, 'users', '')));
  return rows;
}

async function measureIds(setting: Setting, yardstick: MemoryServer, which: string, goal: string): Promise<Row[]> {
  const load = { ...setting, seed: 1 };
  const p99 = { ours: [] as number[], theirs: [] as number[] };
  const measure = async (side: 'ours' | 'theirs', url: string): Promise<number> => {
    const report = await runLoad({ ...load, url, seed: load.seed++ });
    p99[side].push(report.p99Ms);
    return report.requestsPerSecond;
  };
  const report = await interleave({
    ours: () => measure('ours', setting.url),
    theirs: () => measure('theirs', yardstick.url),
    rounds: setting.rounds,
    warmup: 1,
  });
  const latency = median(p99.ours) / median(p99.theirs);
  return [
    [`(a) ${which}: requests/s, ${connections} connections`, formatRatio(report), goal, `${report.ours.toFixed(0)} and ${report.theirs.toFixed(0)} requests/s`],
    [`(a) ${which}: p99`, latency.toFixed(2), '', `${median(p99.ours).toFixed(1)} and ${median(p99.theirs).toFixed(1)} ms`],
  ];
}

/** (b) Compares the recommendations of all entities as CSV with the same number of bytes from memory. */
async function measureStream(setting: Setting, yardstick: MemoryServer): Promise<Row[]> {
  const url = `${setting.url}/v1/recommender/related_items?model_id=${encodeURIComponent(setting.modelId)}`;
  const first = await fetchStream(url, setting.key);
  const firstByteMs: number[] = [];
  const run = (): Promise<RatioReport> => interleave({
    ours: async () => {
      const report = await fetchStream(url, setting.key);
      firstByteMs.push(report.firstByteMs);
      return report.bytes / report.seconds;
    },
    theirs: async () => {
      const report = await fetchStream(`${yardstick.url}/stream?bytes=${first.bytes}`, setting.key);
      return report.bytes / report.seconds;
    },
    rounds: setting.rounds,
    warmup: 0,
  });
  const { processId, idleBytes } = setting;
  const memory = processId === null ? null : await measureRss(processId, run, { idleBytes });
  const report = memory === null ? await run() : memory.result;
  const rowsPerSecond = (report.ours * first.rows) / first.bytes;
  return [
    ['(b) all entities, bytes/s', formatRatio(report), '', `${first.rows} rows, ${rowsPerSecond.toFixed(0)} rows/s`],
    ['(b) first byte', (median(firstByteMs) / (1000 * first.bytes / report.ours)).toFixed(4), '',
      `${median(firstByteMs).toFixed(1)} ms; the ratio is the share of the whole answer's time`],
    ['(b) memory beyond idle', memory === null ? 'not measured' : megabytes(memory.beyondIdleBytes), '<= 256 MB',
      memory === null ? 'give --pid to measure it' : `peak ${megabytes(memory.peakBytes)}, ${memory.samples} samples`],
  ];
}

function parseArguments(): Record<string, string> {
  const option = (value: string): { type: 'string'; default: string } => ({ type: 'string', default: value });
  return parseCommandLine({
    options: {
      url: option(''), key: option(''), pid: option(''), model: option('bench'), items: option('20000'), users: option('50000'),
      interactions: option('1000000'), seed: option('1'), rounds: option('5'), seconds: option('8'),
      type: option('item'), only: option(''),
    },
  }).values as Record<string, string>;
}

async function main(): Promise<void> {
  const values = parseArguments();
  const number = (name: string): number => Number(values[name]);
  const shape = { items: number('items'), users: number('users'), interactions: number('interactions'), seed: number('seed') };
  const modelId = values['model'] as string;
  const started: ServedVouch | null = values['url'] === '' ? await serveVouch({ environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn' } }) : null;
  const url = started?.url ?? (values['url'] as string);
  const key = started?.key ?? (values['key'] as string);
  const client = connectVouch(url, key);
  let yardstick: MemoryServer | null = null;
  try {
    if (started !== null) {
      await uploadCatalogue(client, shape);
      await trainCatalogue(client, modelId);
    }
    const processId = started?.processId ?? (values['pid'] === '' ? null : number('pid'));
    const idleBytes = processId === null ? 0 : await residentBytes(processId);
    const ids = await fetchSourceIds(url, key, modelId);
    const sourceType = values['type'] as string;
    const setting = { url, key, modelId, client, ids, sourceType, processId, idleBytes, rounds: number('rounds'), seconds: number('seconds') };
    yardstick = await startMemoryServer(await fetchBodies(setting));
    const lookups = await measureLookups(setting, yardstick);
    if (values['only'] === 'lookups') return console.table(lookups);
    const stream = await measureStream(setting, yardstick);
    await reportTable({
      name: 'serving',
      title: 'Serving recommendations',
      command: `npx tsx bench/serving/run.ts ${process.argv.slice(2).filter((word, place, all) => word !== '--key' && all[place - 1] !== '--key').join(' ')}`.trim(),
      data: started === null
        ? `model ${modelId} with ${ids.length} entities of a running server`
        : `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions, seed ${shape.seed}`,
      columns: ['what', 'ratio (95 %)', 'goal', 'values'],
      rows: [...lookups, ...stream],
      notes: [
        'Yardstick: a Fastify route that sends the same bytes from memory, in its own process, run in turns with ours. ' +
          'Load: ids uniformly random over all entities, over items or over users, 100 results each. Only the ratios carry over to other machines.',
      ],
    });
  } finally {
    await yardstick?.stop();
    await started?.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
