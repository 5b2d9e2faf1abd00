import { mkdtemp } from 'node:fs/promises';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { revertingServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingService';
import { reportAttestations } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import { testAccount, type TestAccount } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { BlockRange } from '@vouch/chain/rpc/blockRange';
import { scanLogs } from '@vouch/chain/rpc/scanLogs';
import { decodeEventLog, encodeFunctionData } from 'viem';
import { makePlace, removePlace } from '../harness/place.ts';
import type { VouchPlace } from '../harness/vouchSubjects.ts';

/** A report that a node is allowed to send. */
interface Duty {
  attestationId: Hex;
  node: Hex;
  index: number;
}

/** One chain and the data folder of one gateway, used for many rounds. */
export interface GatewayWorld {
  chain: DeployedTestChain;
  place: VouchPlace;
  isolates: boolean;
  /** Nodes that stay active and report. */
  reporters: readonly TestAccount[];
  /** Nodes that enter and leave. */
  others: readonly TestAccount[];
  /** Reports not sent yet; taken from the end of the list. */
  duties: Duty[];
  /** Environment variables for a `vouch serve` that is the gateway of this chain. */
  environment: Readonly<Record<string, string>>;
  /** Reports one more attestation, for which the contract chooses nodes. */
  attest(): Promise<void>;
  /** Counts how often each operation took effect on the chain, by `effectKey`. */
  countEffects(): Promise<Map<string, number>>;
  close(): Promise<void>;
}

const nodes = 10;
const reporting = 6;
/** A second relayer key, so that messages of one signer move between two keys. */
const secondRelayer = testAccount(3);
const blocksPerQuery = 5_000;

/**
 * Starts a chain with one block per second and nodes that have entered.
 * @param isolates whether the contract reverts only failing entries; the contract that reverts whole batches would also execute a
 * claimer message twice
 */
export async function openWorld(isolates: boolean): Promise<GatewayWorld> {
  const chain = await startTestDeployment({
    operators: nodes, blockTimeSeconds: 1, gasLimit: 60_000_000n,
    rules: { commissionInterval: 1, maxCommissionIncrease: 10_000, reportWindow: 6 * 3_600, maxMissedReports: 10_000 },
    ...(isolates ? {} : { serviceBytecode: revertingServiceBytecode }),
  });
  const place = await makePlace();
  const reporters = chain.operators.slice(0, reporting);
  const { service } = chain.contracts;
  await chain.mine();
  await chain.setBalance(secondRelayer.address, 10n ** 21n);
  await Promise.all(reporters.map(({ privateKey }) => sendTransactions(chain.rpc, [
    { to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeEnter', args: [zeroAddress] }), gas: 400_000n },
  ], { key: privateKey })));
  const scratch = await mkdtemp(`${place.folder}/attestations-`);
  let attestations = 0;
  const world: GatewayWorld = {
    chain, place, isolates, reporters,
    others: chain.operators.slice(reporting),
    duties: [],
    environment: {
      VOUCH_CHAIN_RPC_URL: chain.url, VOUCH_CHAIN_ID: String(chain.chainId), VOUCH_CONTRACT_ADDRESS: service,
      VOUCH_MULTICALL_ADDRESS: chain.contracts.multicall3, VOUCH_RELAYER_KEYS: `${chain.relayer.privateKey},${secondRelayer.privateKey}`, VOUCH_BATCH_WINDOW_MS: '100',
      VOUCH_CONFIRMATIONS: '1', VOUCH_SIGNER_QUOTA: '0', VOUCH_LOG_LEVEL: 'info',
    },
    async attest() {
      const text = `${scratch} ${attestations++}`;
      const { attestationIds, chosen } = await reportAttestations(chain.rpc, chain.contracts, [text], { key: chain.deployer.privateKey });
      const known = new Set(reporters.map(({ address }) => address));
      for (const attestationId of attestationIds) {
        world.duties.push(...chosen.flatMap((node, index) => (known.has(node) ? [{ attestationId, node, index }] : [])));
      }
    },
    countEffects: () => countEffects(chain, isolates),
    async close() {
      await chain.stop();
      await removePlace(place);
    },
  };
  await world.attest();
  return world;
}

/**
 * Identifies an operation by the events of its contract. An operation that took effect twice has two events with the same key.
 */
export function effectKey(isolates: boolean, operation: { kind: string; digest: Hex; signer: Hex; attestationId?: Hex; claimer?: Hex }): string {
  if (operation.kind === 'report') return `report:${operation.attestationId}:${operation.signer}`;
  return isolates ? `digest:${operation.digest}:${operation.signer}` : `claimer:${operation.signer}:${operation.claimer}`;
}

async function countEffects({ rpc, contracts }: DeployedTestChain, isolates: boolean): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const head = Number(await rpc.request<Hex>('eth_blockNumber'));
  for await (const { logs } of scanLogs(rpc, { address: contracts.service, fromBlock: 0, toBlock: head, range: new BlockRange(blocksPerQuery) })) {
    for (const log of logs) {
      const [topic, ...others] = log.topics;
      if (topic === undefined) continue;
      const event = decode(topic, others, log.data);
      if (event === null) continue;
      if (event.eventName === 'NodeReportVerificationBatch') {
        for (const { signer } of event.args.infos) add(`report:${event.args.attestationID}:${signer.toLowerCase()}`);
      }
      if (isolates && event.eventName === 'OperationApplied') add(`digest:${event.args.digest}:${event.args.signer.toLowerCase()}`);
      if (!isolates && event.eventName === 'NodeSetClaimer') add(`claimer:${event.args.node.toLowerCase()}:${event.args.claimer.toLowerCase()}`);
    }
  }
  return counts;
}

function decode(topic: Hex, others: readonly Hex[], data: Hex) {
  try {
    return decodeEventLog({ abi: verifierServiceAbi, topics: [topic, ...others], data });
  } catch {
    return null;
  }
}
