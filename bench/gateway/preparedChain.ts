import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { strictServiceBytecode } from '@vouch/chain/contracts/bytecode/strictService';
import { deployContracts, type Deployment } from '@vouch/chain/contracts/deploy';
import { mintLicenses, reportAttestations } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { saveState } from '@vouch/chain/devnet/saveState';
import { startTestChain, type TestAccount, type TestChain } from '@vouch/chain/testing/testChain';
import type { Hex, Operation, Signature } from '@vouch/chain/messages/operation';
import { signOperation } from '@vouch/chain/messages/sign';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { realDoors } from '@vouch/platform/process/doors';
import { encodeFunctionData } from 'viem';

/** A report of an operator, signed. */
export interface SignedReport {
  operation: Extract<Operation, { kind: 'report' }>;
  account: TestAccount;
  signature: Signature;
}

/** One state of a chain with our service and the strict one, and the same reports open at both. */
export interface PreparedChain {
  ours: Deployment;
  strict: Deployment;
  /** Attestation by attestation, in the order of the chosen nodes; valid at both services, since both have one domain. */
  reports: readonly SignedReport[];
  /** Starts a chain of its own from the state. */
  start(options?: { blockTimeSeconds?: number; gasLimit?: bigint }): Promise<TestChain>;
  remove(): Promise<void>;
}

export interface Preparation {
  operators: number;
  attestations: number;
  /** Called with what is being done, for people who wait. */
  say?: (step: string) => void;
}

/** Deploys both services, lets the operators enter both, opens the attestations at both and signs every report. */
export async function prepareChain({ operators, attestations, say = () => {} }: Preparation): Promise<PreparedChain> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-bench-chain-'));
  const path = join(folder, 'state.json');
  const chain = await startTestChain({ operators });
  try {
    const { rpc, deployer } = chain;
    const key = deployer.privateKey;
    const ours = await deployContracts(rpc, { deployerKey: key });
    // The same seed and the same order of entering choose the same nodes, so that one signature serves both.
    const strict = await deployContracts(rpc, { deployerKey: key, serviceBytecode: strictServiceBytecode });
    for (const deployment of [ours, strict]) {
      say(`${operators} operators enter ${deployment === ours ? 'our service' : 'the strict one'}`);
      await mintLicenses(rpc, deployment, chain.operators.map(({ address }) => ({ address, count: 1 })), { key });
      for (const account of chain.operators) await enter(chain, deployment, account);
    }
    say(`${attestations} attestations at each`);
    const texts = Array.from({ length: attestations }, (_, number) => `attestation ${number}`);
    const chosen = await openAttestations(chain, ours, texts);
    if (String(await openAttestations(chain, strict, texts)) !== String(chosen)) throw new Error('the two services chose different nodes');
    say('signing');
    const reports = await signReports(chain, chosen);
    // The whole state with all receipts is long.
    const dumping = createRpcClient({ urls: [chain.url], timeoutMs: 120_000, answerBytesMax: 2 ** 30 }, realDoors);
    await saveState(dumping, path).finally(() => dumping.close());
    return {
      ours, strict, reports,
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

/** So many texts fit one transaction of a block of 30 million gas. */
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
