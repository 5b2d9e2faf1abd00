import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { revertingServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingService';
import { deployContracts, type Deployment } from '@vouch/chain/contracts/deploy';
import { mintLicenses, reportAttestations } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { saveState } from '@vouch/chain/devnet/saveState';
import { startTestChain, type TestAccount, type TestChain } from '@vouch/chain/testing/testChain';
import type { Hex, Operation, Signature } from '@vouch/chain/messages/operation';
import { signOperation } from '@vouch/chain/messages/sign';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { encodeFunctionData } from 'viem';

/** A signed report of an operator. */
export interface SignedReport {
  operation: Extract<Operation, { kind: 'report' }>;
  account: TestAccount;
  signature: Signature;
}

/** A saved chain state that contains Vouch's service and the reverting service, with the same reports pending at both. */
export interface PreparedChain {
  ours: Deployment;
  reverting: Deployment;
  /**
   * Grouped by attestation, in the order of the chosen nodes. Valid at both services, because both have the same EIP-712 domain.
   */
  reports: readonly SignedReport[];
  /** Starts a separate chain from the saved state. */
  start(options?: { blockTimeSeconds?: number; gasLimit?: bigint }): Promise<TestChain>;
  remove(): Promise<void>;
}

export interface Preparation {
  operators: number;
  attestations: number;
  /** Called with a description of each step, to show progress. */
  say?: (step: string) => void;
}

/** Deploys both services, enters the operators at both, opens the attestations at both and signs every report. */
export async function prepareChain({ operators, attestations, say = () => {} }: Preparation): Promise<PreparedChain> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-bench-chain-'));
  const path = join(folder, 'state.json');
  const chain = await startTestChain({ operators });
  try {
    const { rpc, deployer } = chain;
    const key = deployer.privateKey;
    const ours = await deployContracts(rpc, { deployerKey: key });
    // The same seed and the same order of entry choose the same nodes at both services, so that one signature is valid at both.
    const reverting = await deployContracts(rpc, { deployerKey: key, serviceBytecode: revertingServiceBytecode });
    for (const deployment of [ours, reverting]) {
      say(`${operators} operators enter ${deployment === ours ? 'our service' : 'the reverting service'}`);
      await mintLicenses(rpc, deployment, chain.operators.map(({ address }) => ({ address, count: 1 })), { key });
      for (const account of chain.operators) await enter(chain, deployment, account);
    }
    say(`${attestations} attestations at each`);
    const texts = Array.from({ length: attestations }, (_, number) => `attestation ${number}`);
    const chosen = await openAttestations(chain, ours, texts);
    if (String(await openAttestations(chain, reverting, texts)) !== String(chosen)) throw new Error('the two services chose different nodes');
    say('signing');
    const reports = await signReports(chain, chosen);
    // The state with all receipts is large, hence the longer timeout and the higher size limit.
    const dumping = createRpcClient({ urls: [chain.url], timeoutMs: 120_000, answerBytesMax: 2 ** 30 }, systemInterfaces);
    await saveState(dumping, path).finally(() => dumping.close());
    return {
      ours, reverting, reports,
      start: (options = {}) => startTestChain({ ...options, loadState: path, operators: 0 }),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  } finally {
    await chain.stop();
  }
}

async function enter({ rpc }: TestChain, { service }: Deployment, account: TestAccount): Promise<void> {
  const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeEnter', args: [`0x${'00'.repeat(20)}`] });
  await sendTransactions(rpc, [{ to: service, data, gas: 400_000n }], { key: account.privateKey });
}

interface Chosen {
  attestationId: Hex;
  nodes: readonly Hex[];
}

/** Number of attestation texts that fit into one transaction of a block with 30 million gas. */
const textsAtOnce = 20;

async function openAttestations({ rpc, deployer }: TestChain, deployment: Deployment, texts: readonly string[]): Promise<Chosen[]> {
  const opened: Chosen[] = [];
  for (let at = 0; at < texts.length; at += textsAtOnce) {
    const { attestationIds, chosen } = await reportAttestations(rpc, deployment, texts.slice(at, at + textsAtOnce), { key: deployer.privateKey });
    opened.push(...attestationIds.map((attestationId) => ({ attestationId, nodes: chosen })));
  }
  return opened;
}

async function signReports({ domain, operators }: TestChain, chosen: readonly Chosen[]): Promise<SignedReport[]> {
  const accounts = new Map(operators.map((account) => [account.address, account]));
  const reports: SignedReport[] = [];
  for (const { attestationId, nodes } of chosen) {
    for (const [index, address] of nodes.entries()) {
      const account = accounts.get(address);
      if (account === undefined) throw new Error(`nobody has the key of ${address}`);
      const operation = { kind: 'report' as const, attestationId, result: 0, index };
      reports.push({ operation, account, signature: await signOperation(operation, domain, account.privateKey) });
    }
  }
  return reports;
}
