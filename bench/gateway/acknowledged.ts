import { setTimeout as sleep } from 'node:timers/promises';
import { interleave } from '../harness/interleave.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';
import { serveVouch, vouchProgram } from '../harness/serveVouch.ts';
import { postReports } from './postReports.ts';
import { prepareChain } from './preparedChain.ts';

/**
 * Compares the rates at which two gateways acknowledge reports (reports per second): the gateway of this checkout and the gateway
 * of a second checkout, in alternating runs on the same chain state.
 */

const usage = 'usage: node --import tsx bench/gateway/acknowledged.ts --before <dist/vouch.js of another checkout> [--operators 250] [--attestations 30] [--rounds 3]';
const { values } = parseCommandLine({ options: {
  operators: { type: 'string', default: '250' }, attestations: { type: 'string', default: '30' }, rounds: { type: 'string', default: '3' }, before: { type: 'string' },
} }, usage);
if (values.before === undefined) stopCommand('--before is missing.', usage);
const before = values.before;
const prepared = await prepareChain({ operators: Number(values.operators), attestations: Number(values.attestations), say: (step) => console.error(step) });

/** Returns the acknowledged reports per second of one run of a program, including the time for sending. */
async function measure(program: string): Promise<number> {
  const chain = await prepared.start({ blockTimeSeconds: 1, gasLimit: 30_000_000n });
  try {
    // The base fee changes in the first block after loading a state.
    await sleep(1_500);
    const vouch = await serveVouch({
      program, arguments: ['--only', 'gateway'],
      environment: {
        VOUCH_CHAIN_RPC_URL: chain.url, VOUCH_CHAIN_ID: String(chain.chainId), VOUCH_CONTRACT_ADDRESS: prepared.ours.service, VOUCH_RELAYER_KEYS: chain.relayer.privateKey,
        VOUCH_CONFIRMATIONS: '2', VOUCH_SIGNER_QUOTA: '0', VOUCH_LOG_LEVEL: 'warn', VOUCH_RATE_LIMIT: '0', VOUCH_KEEPER: 'false',
      },
    });
    try {
      return prepared.reports.length / (await postReports(vouch.url, prepared.reports));
    } finally {
      await vouch.stop();
    }
  } finally {
    await chain.stop();
  }
}

try {
  const { ours, theirs, ...ratio } = await interleave({
    ours: () => measure(vouchProgram), theirs: () => measure(before), rounds: Number(values.rounds), warmup: 0,
    onRound: (round, each) => console.error(`round ${round}: ${each.toFixed(2)}`),
  });
  await reportTable({
    name: 'gateway-acknowledged',
    title: 'Acknowledged reports a second, beside another checkout',
    command: `node --import tsx bench/gateway/acknowledged.ts ${process.argv.slice(2).map((word) => (word === before ? '<dist/vouch.js of another checkout>' : word)).join(' ')}`,
    data: `${prepared.reports.length} signed reports of ${values.operators} operators on ${values.attestations} attestations; blocks of 1 s, sending beside`,
    columns: ['this checkout', 'the other', 'this / the other'],
    rows: [[ours.toFixed(0), theirs.toFixed(0), formatRatio(ratio)]],
    notes: ['Medians over the rounds, in turns.'],
  });
} finally {
  await prepared.remove();
}
