import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeKey } from '../harness/makeKey.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';
import { serveVouch, type ServedVouch } from '../harness/serveVouch.ts';
import { listAttacks } from './attacks.ts';
import { measureOthers, type OthersReport } from './measureOthers.ts';
import { startCrowd } from './slowClient.ts';

const rate = 50;
const attackerAddress = '127.0.0.1';
/** Linux accepts all IP addresses in 127.0.0.0/8. On other systems, attackers and other clients share one IP address. */
const otherAddress = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';
const uploadTimeoutMs = 120_000;

/** Measures other clients' requests just before and during each attack. Every attack lasts `--seconds` seconds. */
async function main(): Promise<void> {
  const { values } = parseCommandLine({
    options: { connections: { type: 'string', default: '1500' }, seconds: { type: 'string', default: '25' }, drip: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
  });
  const [connections, seconds, dripSeconds] = [Number(values.connections), Number(values.seconds), Number(values.drip)];
  const vouch = await serveVouch({ environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'error' } });
  try {
    const uploaderKey = await makeKey(vouch, 'attackers', 'data:write');
    const rows: (string | number)[][] = [];
    for (const { name, client } of listAttacks(dripSeconds * 1_000, uploaderKey).filter((attack) => attack.name.includes(values.only))) {
      const calm = await measure(vouch, otherAddress, seconds / 2);
      const crowd = startCrowd({ port: Number(new URL(vouch.url).port), count: connections, from: attackerAddress, client });
      // Long enough to open all connections and to exhaust the resources under attack.
      await sleep(4_000);
      const [apart, beside, ready, upload] = await Promise.all([
        measure(vouch, otherAddress, seconds), measure(vouch, attackerAddress, seconds), readiness(vouch, seconds), uploadOnce(vouch),
      ]);
      const open = crowd.open();
      crowd.stop();
      rows.push([
        name, open, calm.p99Ms.toFixed(1), describe(apart, calm), describe(beside, calm), ready, upload,
      ]);
      console.error(rows.at(-1)?.join(' | '));
      await sleep(2_000);
    }
    await reportTable({
      name: 'attack',
      title: 'Requests of others beside slow clients',
      command: `node --import tsx bench/attack/run.ts --connections ${connections} --seconds ${seconds} --drip ${dripSeconds}`,
      data: `${connections} connections from one IP address, each opened again a second after it was closed, dripping every ${dripSeconds} s; ${rate} requests/s of another organization from another IP address, and as many from the same`,
      columns: ['attack', 'open at the end', 'p99 before, ms', 'other IP address: p99 as a ratio, failed', 'same IP address: p99 as a ratio, failed', '/readyz', 'small upload of others'],
      rows,
    });
  } finally {
    await vouch.stop();
  }
}

function measure(vouch: ServedVouch, from: string, seconds: number): Promise<OthersReport> {
  return measureOthers({ url: vouch.url, key: vouch.key, next: () => ({ path: '/v1/recommender/data_batch?limit=1' }), from, seconds, rate: rate / 2 });
}

function describe(report: OthersReport, calm: OthersReport): string {
  return `${(report.p99Ms / calm.p99Ms).toFixed(2)}, ${report.failed} of ${report.requests}`;
}

/** Returns the statuses of /readyz during the attack. */
async function readiness(vouch: ServedVouch, seconds: number): Promise<string> {
  const seen = new Set<number>();
  for (let second = 0; second < seconds; second++) {
    seen.add(await fetch(`${vouch.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(({ status }) => status, () => 0));
    await sleep(1_000);
  }
  return [...seen].join(', ');
}

async function uploadOnce(vouch: ServedVouch): Promise<string> {
  const body = new FormData();
  body.append('files', new Blob(['id,type,name,metadata,media_url\na,film,,,\n']), 'small.csv');
  const started = performance.now();
  const headers = { apikey: vouch.key };
  const signal = AbortSignal.timeout(uploadTimeoutMs);
  const status = await fetch(`${vouch.url}/v1/recommender/data_batch`, { method: 'POST', headers, body, signal }).then((answer) => answer.status, () => 'none');
  return `${status} after ${((performance.now() - started) / 1000).toFixed(1)} s`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
