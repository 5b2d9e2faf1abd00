import { setTimeout as sleep } from 'node:timers/promises';
import { verdictOf, type TestAttestation } from '@vouch/verifier/attestation/testPki/keepTestPki';
import { fetchVotes } from '@vouch/chain/contracts/devnetActions';
import { getBlock, getReceipt } from '@vouch/chain/rpc/chainReads';
import type { Hex } from '@vouch/chain/messages/operation';
import { openNodeWorld, type NodeWorld, type PostedAttestation } from '../../tests/e2e/verifier/world/openNodeWorld.ts';
import type { Vote } from '../../tests/e2e/verifier/world/fetchReports.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';

/**
 * Runs many nodes at once, each as a separate process in the group of this process, with attestations for which all nodes are
 * chosen.
 */

const { values } = parseCommandLine({ options: {
  nodes: { type: 'string', default: '50' }, attestations: { type: 'string', default: '200' }, window: { type: 'string', default: '1800' }, 'under-way': { type: 'string', default: '20' },
} });
const [count, wanted, window, atOnce] = [Number(values.nodes), Number(values.attestations), Number(values.window), Number(values['under-way'])];
const kinds: readonly TestAttestation[] = ['good', 'good', 'good', 'not a quote', 'forged'];

async function enterAll(world: NodeWorld): Promise<void> {
  for (const node of world.nodes) {
    node.start();
    // Delays each start, because many simultaneous starts keep two cores busy for a long time, and real operators do not start
    // together.
    await sleep(150);
  }
  await world.until('every node is active', async () => (await Promise.all(world.nodes.map(({ account }) => world.nodeInfo(account.address)))).every(({ active }) => active), 120);
}

async function postAll(world: NodeWorld): Promise<PostedAttestation[]> {
  const posted: PostedAttestation[] = [];
  while (posted.length < wanted) {
    const batch = Array.from({ length: Math.min(atOnce, wanted - posted.length) }, (_, place) => kinds[(posted.length + place) % kinds.length] ?? 'good');
    posted.push(...await world.attest(...batch));
  }
  return posted;
}

const patienceMs = 150_000;

/** Uses the contract's counters: rereading all events in each poll would take CPU time from the nodes. */
async function untilCounted({ chain: { rpc, contracts } }: NodeWorld, posted: readonly PostedAttestation[], reports: number): Promise<void> {
  const began = performance.now();
  for (;;) {
    let counted = 0;
    for (const { id } of posted) {
      const { valid, invalid, malicious } = await fetchVotes(rpc, contracts, id);
      counted += valid + invalid + malicious;
    }
    if (counted >= reports) return;
    if (performance.now() - began > patienceMs) return console.error(`only ${counted} of ${reports} reports count after ${patienceMs / 1_000} s`);
    await sleep(2_000);
  }
}

interface Cost {
  transactions: number;
  gas: number;
}

async function costOf({ chain: { rpc } }: NodeWorld, votes: readonly Vote[]): Promise<Cost> {
  const hashes = [...new Set(votes.map(({ transactionHash }) => transactionHash))];
  let gas = 0;
  for (const hash of hashes) gas += Number((await getReceipt(rpc, hash))?.gasUsed ?? 0);
  return { transactions: hashes.length, gas };
}

/** Returns the seconds of chain time from the choice of the nodes to each vote. */
async function delaysOf({ chain: { rpc } }: NodeWorld, posted: readonly PostedAttestation[], votes: readonly Vote[]): Promise<number[]> {
  const times = new Map<number, number>();
  for (const { blockNumber } of votes) if (!times.has(blockNumber)) times.set(blockNumber, (await getBlock(rpc, blockNumber))?.timestamp ?? NaN);
  const chosenAt = new Map<Hex, number>(posted.map(({ id, deadline }) => [id, deadline - window]));
  return votes.map(({ attestationId, blockNumber }) => (times.get(blockNumber) ?? NaN) - (chosenAt.get(attestationId) ?? NaN)).toSorted((a, b) => a - b);
}

const world = await openNodeWorld({
  nodes: count, database: 'embedded', rules: { reportWindow: window }, settings: { VOUCH_BATCH_WINDOW_MS: '1000', VOUCH_KEEPER: 'false', VOUCH_LOG_LEVEL: 'warn' },
  file: (file) => ({ ...file, queryTicker: 5 }),
});
try {
  console.error(`${count} nodes enter`);
  await enterAll(world);
  console.error(`${wanted} attestations`);
  const posted = await postAll(world);
  const reports = posted.reduce((sum, { chosen }) => sum + chosen.length, 0);
  await untilCounted(world, posted, reports);
  const { votes, skipped } = await world.reports();
  const delays = await delaysOf(world, posted, votes);
  const { transactions, gas } = await costOf(world, votes);
  const right = votes.filter(({ attestationId, result }) => verdictOf[posted.find(({ id }) => id === attestationId)?.kind ?? 'good'] === result);
  const twice = votes.length - new Set(votes.map(({ attestationId, node }) => attestationId + node)).size;
  const at = (share: number): string => `${delays[Math.min(delays.length - 1, Math.floor(share * delays.length))]} s`;
  await reportTable({
    name: 'verifier-nodes',
    title: 'Many nodes at once',
    command: `node --import tsx bench/verifier/manyNodes.ts ${process.argv.slice(2).join(' ')}`.trim(),
    data: `${count} nodes as processes of their own, each looking at the chain each 5 s, the real gateway, a local chain with a block a second and a gas limit of 30 million; ${wanted} attestations, ${atOnce} a transaction, one after the other without a pause`,
    columns: ['what', 'measured'],
    rows: [
      ['reports that were due', reports],
      ['reports that count, before the deadline', votes.length],
      ['votes as they deserve', right.length],
      ['reported twice, or refused by the contract', `${twice}, ${skipped.length}`],
      ['from the choice to the block with the vote: median, 95 %, last', `${at(0.5)}, ${at(0.95)}, ${at(1)} (deadline ${window} s)`],
      ['transactions', transactions],
      ['reports a transaction', (votes.length / transactions).toFixed(1)],
      ['gas a report', Math.round(gas / votes.length)],
    ],
    notes: ['Nodes, gateway, chain and database share the machine, so the delays are those of the machine more than of a node.'],
  });
} finally {
  await world.close();
}
