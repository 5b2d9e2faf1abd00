import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestChain } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import { findServer } from '../../tests/crash/harness/processTree.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { processorSeconds } from '../harness/processorSeconds.ts';
import { reportTable } from '../harness/reportTable.ts';
import { serveVouch } from '../harness/serveVouch.ts';
import { countReports, type Landing } from './countReports.ts';
import { prepareChain, type SignedReport } from './preparedChain.ts';
import { postReports } from './postReports.ts';
import { relaySingly } from './relaySingly.ts';

/**
 * Compares reports through the gateway with one transaction per report, on chains with the same state, one-second blocks and a
 * fixed gas limit.
 */

interface Side {
  landing: Landing;
  /** Rate at which the gateway accepts reports; null for the baseline, which has no acknowledgement. */
  acknowledgedPerSecond: number | null;
  cpu: string;
}

/**
 * Sums the CPU seconds of a PostgreSQL server and all its connections. Recomputes the processes each time, because the pool opens
 * connections during the run.
 */
function databaseSeconds(folder: string): number {
  return postgresOf(folder).reduce((sum, pid) => sum + processorSeconds(pid), 0);
}

/** Returns the ids of the PostgreSQL processes of a data folder's server. */
function postgresOf(folder: string): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      return command.includes('postgres') && (command.includes(folder) || parentIs(pid, folder));
    } catch {
      return false;
    }
  });
}

function parentIs(pid: number, folder: string): boolean {
  const parent = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  return parent > 1 && readFileSync(`/proc/${parent}/cmdline`, 'latin1').includes(folder);
}

async function throughGateway(chain: TestChain, service: Hex, reports: readonly SignedReport[]): Promise<Side> {
  const vouch = await serveVouch({
    arguments: ['--only', 'gateway'],
    environment: {
      VOUCH_CHAIN_RPC_URL: chain.url, VOUCH_CHAIN_ID: String(chain.chainId), VOUCH_CONTRACT_ADDRESS: service, VOUCH_RELAYER_KEYS: chain.relayer.privateKey,
      VOUCH_CONFIRMATIONS: '2', VOUCH_SIGNER_QUOTA: '0', VOUCH_LOG_LEVEL: 'warn', VOUCH_RATE_LIMIT: '0',
    },
  });
  try {
    const from = (await getBlock(chain.rpc, 'latest'))?.number ?? 0;
    const server = findServer(vouch.processId);
    const before = { gateway: processorSeconds(server), chain: processorSeconds(chain.pid ?? 0), database: databaseSeconds(vouch.folder) };
    const started = performance.now();
    const seconds = await postReports(vouch.url, reports);
    const landing = await countReports(chain, service, from, reports.length);
    const elapsed = (performance.now() - started) / 1000;
    const share = (used: number): string => `${((100 * used) / elapsed).toFixed(0)} %`;
    const database = databaseSeconds(vouch.folder) - before.database;
    const cpu = `gateway ${share(processorSeconds(server) - before.gateway)}, chain ${share(processorSeconds(chain.pid ?? 0) - before.chain)}, database ${share(database)} of a core`;
    return { landing, acknowledgedPerSecond: reports.length / seconds, cpu };
  } finally {
    await vouch.stop();
  }
}

async function singly(chain: TestChain, service: Hex, reports: readonly SignedReport[]): Promise<Side> {
  const from = (await getBlock(chain.rpc, 'latest'))?.number ?? 0;
  const before = { own: process.cpuUsage(), chain: processorSeconds(chain.pid ?? 0) };
  const started = performance.now();
  const sending = relaySingly(chain, service, reports);
  const landing = await countReports(chain, service, from, reports.length);
  await sending;
  const elapsed = (performance.now() - started) / 1000;
  const own = process.cpuUsage(before.own);
  const share = (used: number): string => `${((100 * used) / elapsed).toFixed(0)} %`;
  return { landing, acknowledgedPerSecond: null, cpu: `baseline ${share((own.user + own.system) / 1e6)}, chain ${share(processorSeconds(chain.pid ?? 0) - before.chain)} of a core` };
}

const { values } = parseCommandLine({ options: {
  operators: { type: 'string', default: '250' }, attestations: { type: 'string', default: '40' }, singles: { type: 'string', default: '3000' },
  'gas-limit': { type: 'string', default: '30000000' },
} });
const gasLimit = BigInt(values['gas-limit']);
const prepared = await prepareChain({ operators: Number(values.operators), attestations: Number(values.attestations), say: (step) => console.error(step) });
try {
  const measure = async (run: (chain: TestChain) => Promise<Side>): Promise<Side> => {
    const chain = await prepared.start({ blockTimeSeconds: 1, gasLimit });
    try {
      // The base fee changes in the first block after loading a state.
      await sleep(1_500);
      return await run(chain);
    } finally {
      await chain.stop();
    }
  };
  const few = prepared.reports.slice(0, Number(values.singles));
  console.error(`${prepared.reports.length} reports through the gateway`);
  const ours = await measure((chain) => throughGateway(chain, prepared.ours.service, prepared.reports));
  console.error(`${few.length} one by one, reverting service`);
  const reverting = await measure((chain) => singly(chain, prepared.reverting.service, few));
  console.error(`${few.length} one by one, our service`);
  const same = await measure((chain) => singly(chain, prepared.ours.service, few));
  const row = (name: string, { landing, acknowledgedPerSecond, cpu }: Side, goal: string): (string | number)[] => [
    name, landing.perMillionGas.toFixed(1), (ours.landing.perMillionGas / landing.perMillionGas).toFixed(2), goal,
    acknowledgedPerSecond === null ? '' : acknowledgedPerSecond.toFixed(0), landing.perSecond.toFixed(0), `${(100 * landing.gasShare).toFixed(0)} %`, cpu,
  ];
  await reportTable({
    name: 'gateway-throughput',
    title: 'Reports through the gateway and one transaction per report',
    command: `node --import tsx bench/gateway/throughput.ts ${process.argv.slice(2).join(' ')}`.trim(),
    data: `${prepared.reports.length} signed reports of ${values.operators} operators on ${values.attestations} attestations (${few.length} of them for the baseline); blocks of 1 s and ${values['gas-limit']} gas`,
    columns: ['what', 'confirmed reports per million gas', 'gateway / this', 'goal', 'acknowledged/s', 'landed/s', 'gas of the blocks used', 'CPU'],
    rows: [
      row('gateway, our service', ours, ''),
      row('one transaction per report, pipelined on one nonce line, reverting service', reverting, '>= 5 (floor 4)'),
      row('the same to our service', same, ''),
      ['one transaction per block', reverting.landing.perMillionGas.toFixed(1), '', '', '', 1, '', ''],
    ],
    notes: [
      'Landed/s counts from the first block with a report to the last. The same operations, state and gas limit on all sides, one after the other; ' +
        'the reverting service behaves as the contracts do that are in use. CPU is that of the whole run, the generator of the load not counted.',
    ],
  });
} finally {
  await prepared.remove();
}
