import { mkdtemp } from 'node:fs/promises';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { strictServiceBytecode } from '@vouch/chain/contracts/bytecode/strictService';
import { reportAttestations } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import { testAccount, type TestAccount } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { readLog } from '@vouch/chain/rpc/chainReads';
import { readList } from '@vouch/chain/rpc/readResult';
import { decodeEventLog, encodeFunctionData } from 'viem';
import { makePlace, removePlace } from '../harness/place.ts';
import type { VouchPlace } from '../harness/vouchSubjects.ts';

/** A report that some node may send. */
interface Duty {
  attestationId: Hex;
  node: Hex;
  index: number;
}

/** One chain and one gateway's folder for many rounds. */
export interface GatewayWorld {
  chain: DeployedTestChain;
  place: VouchPlace;
  isolates: boolean;
  /** Nodes that stay active, and report. */
  reporters: readonly TestAccount[];
  /** Nodes that come and go. */
  others: readonly TestAccount[];
  /** Reports that nobody sent yet; taken from the end. */
  duties: Duty[];
  /** Variables that make `vouch serve` the gateway of this chain. */
  environment: Readonly<Record<string, string>>;
  /** Has nodes chosen for one more attestation. */
  attest(): Promise<void>;
  /** How often the chain says that each operation took effect, by `effectKey`. */
  countEffects(): Promise<Map<string, number>>;
  close(): Promise<void>;
}

const nodes = 10;
const reporting = 6;
/** Two keys share the load, so that what one signer sent passes from one to the other. */
const secondRelayer = testAccount(3);
const blocksPerQuery = 5_000;

/**
 * Starts a chain with blocks each second and nodes that have entered.
 * @param isolates whether the contract undoes failing entries alone; the other kind would also carry a claimer out twice
 */
export async function openWorld(isolates: boolean): Promise<GatewayWorld> {
  const chain = await startTestDeployment({
    operators: nodes, blockTimeSeconds: 1, gasLimit: 60_000_000n,
    rules: { commissionInterval: 1, maxCommissionIncrease: 10_000, reportWindow: 6 * 3_600, maxMissedReports: 10_000 },
    ...(isolates ? {} : { serviceBytecode: strictServiceBytecode }),
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

/** What an operation is called by the events of its contract: one that took effect twice is there twice. */
export function effectKey(isolates: boolean, operation: { kind: string; digest: Hex; signer: Hex; attestationId?: Hex; claimer?: Hex }): string {
  if (operation.kind === 'report') return `report:${operation.attestationId}:${operation.signer}`;
  return isolates ? `digest:${operation.digest}:${operation.signer}` : `claimer:${operation.signer}:${operation.claimer}`;
}

async function countEffects({ rpc, contracts }: DeployedTestChain, isolates: boolean): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const head = Number(await rpc.request<Hex>('eth_blockNumber'));
  for (let from = 0; from <= head; from += blocksPerQuery) {
    const range = { address: contracts.service, fromBlock: hex(from), toBlock: hex(Math.min(head, from + blocksPerQuery - 1)) };
    for (const log of readList(await rpc.request('eth_getLogs', [range]), readLog)) {
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

function hex(number: number): Hex {
  return `0x${number.toString(16)}`;
}
