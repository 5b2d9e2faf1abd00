import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { mintLicenses, reportAttestations } from '@vouch/chain/contracts/devnetActions';
import type { Rules } from '@vouch/chain/contracts/rules';
import { testAccount, type TestAccount } from '@vouch/chain/testing/testChain';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import type { Hex } from '@vouch/chain/messages/operation';
import { ethCall } from '@vouch/chain/rpc/chainReads';
import { keepTestPki, type TestAttestation, type TestPki } from '@vouch/verifier/attestation/testPki/keepTestPki';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import { verifierProgram } from '../../../../bench/harness/serveVouch.ts';
import { startVouch, type RunningVouch, type StartOptions } from '../../harness/startVouch.ts';
import { writeNodeFile, type NodeFile } from './nodeFile.ts';
import { startNodeProcess, type NodeProcess, type NodeProcessOptions } from './nodeProcess.ts';
import { fetchEvents, reportsOf, type Reports, type ServiceEvent } from './fetchReports.ts';

/** A reported attestation whose nodes have been chosen. */
export interface PostedAttestation {
  id: Hex;
  kind: TestAttestation;
  /** Ethereum addresses in lower case, in the order of their `index`. */
  chosen: readonly Hex[];
  /** End of the vote, in seconds of chain time; votes in this second still count. */
  deadline: number;
}

/** One operator's machine: a folder with a configuration, in which the program can be started repeatedly. */
export interface WorldNode {
  account: TestAccount;
  /** Reward claimer in the configuration; null leaves the claimer on the chain unchanged. */
  claimer: Hex | null;
  folder: string;
  configuration: string;
  /** The most recently started program. */
  process: NodeProcess | null;
  start(options?: Partial<Pick<NodeProcessOptions, 'arguments' | 'environment' | 'input' | 'under' | 'detached'>>): NodeProcess;
  /** Returns the output of all programs started so far. */
  log(): string;
}

export interface NodeWorldOptions {
  nodes: number;
  /** If false, no gateway runs, and nodes send and pay for their own transactions. */
  gateway?: boolean;
  /** Same as in startVouch; default: a clone on the PostgreSQL server of the test run. */
  database?: StartOptions['database'];
  rules?: Partial<Rules>;
  /** Block time in seconds; default 1. */
  blockTimeSeconds?: number;
  /** Additional settings of the gateway. */
  settings?: Readonly<Record<string, string>>;
  /** Changes the configuration of each node; called sequentially. */
  file?: (file: NodeFile, place: number) => NodeFile | Promise<NodeFile>;
}

/** A chain, a gateway, a PKI that the nodes trust, a reporter of attestations, and nodes that have not been started. */
export interface NodeWorld {
  chain: DeployedTestChain;
  /** Null if nodes pay for themselves. */
  vouch: RunningVouch | null;
  pki: TestPki;
  folder: string;
  /** Path of the built program. */
  program: string;
  nodes: readonly WorldNode[];
  /** Adds a node and gives its key a license. */
  addNode(account: TestAccount, change?: (file: NodeFile) => NodeFile): Promise<WorldNode>;
  /** Reports attestations in one transaction, and has the contract choose nodes for them. */
  attest(...kinds: readonly TestAttestation[]): Promise<PostedAttestation[]>;
  events(): Promise<ServiceEvent[]>;
  reports(): Promise<Reports>;
  nodeInfo(node: Hex): Promise<NodeInfo>;
  /**
   * Waits until the votes of all chosen nodes have been counted for each attestation.
   * @returns the votes
   */
  voted(posted: readonly PostedAttestation[], seconds?: number): Promise<Reports>;
  /**
   * Waits until a condition holds, at most `seconds` seconds.
   * @throws Error with the output of the nodes
   */
  until(what: string, holds: () => Promise<boolean>, seconds?: number): Promise<void>;
  close(): Promise<void>;
}

interface NodeInfo {
  active: boolean;
  claimer: Hex;
  /** Commission in units of 1/10000. */
  commissionRate: number;
  selfTotal: bigint;
  selfClaimed: bigint;
  missed: bigint;
}

/**
 * A day has ten minutes, of which a node must be online for a few seconds, so that the gateway's keeper reports days during the
 * test. The report window is longer than every wait of a test, because blocks follow the machine's clock even if the machine is
 * slow.
 */
const worldRules: Partial<Rules> = { reportWindow: 900, commissionInterval: 60, dayLength: 600, minOnline: 4 };
/** Timeout in seconds, shorter than the timeout of a test, so that the error contains the output of the nodes. */
const patienceSeconds = 240;
const pollMs = 300;

export async function openNodeWorld(options: NodeWorldOptions): Promise<NodeWorld> {
  const { nodes: count, gateway = true, rules = {}, blockTimeSeconds = 1, file: change = (file) => file } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).toReversed()) await each();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-nodes-'));
    closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const chain = await startTestDeployment({ operators: count, blockTimeSeconds, rules: { ...worldRules, ...rules }, mixedMining: true });
    closers.push(() => chain.stop());
    // The saved chain state may be from an earlier day.
    await chain.mine();
    const pki = await keepTestPki(join(folder, 'pki'), new Date());
    const vouch = gateway ? await startGateway(chain, options) : null;
    if (vouch !== null) closers.push(() => vouch.stop());
    const program = verifierProgram;
    const nodes: WorldNode[] = [];
    const furnish = async (account: TestAccount, adapt: NonNullable<NodeWorldOptions['file']>): Promise<WorldNode> => {
      const place = nodes.length;
      const file = await adapt({
        rpcUrls: [chain.url], chainId: chain.chainId, service: chain.contracts.service, gatewayUrl: vouch?.url ?? null, privateKey: account.privateKey,
        claimer: testAccount(5_000 + place).address, commission: 5, collateralFolder: pki.collateralFolder, trustRoot: pki.trustRoot.fingerprint,
      }, place);
      const node = await makeNode(account, program, join(folder, `node-${place + 1}`), file);
      nodes.push(node);
      return node;
    };
    for (const account of chain.operators) await furnish(account, change);
    const addNode: NodeWorld['addNode'] = async (account, adapt = (file) => file) => {
      await mintLicenses(chain.rpc, chain.contracts, [{ address: account.address, count: 1 }], { key: chain.deployer.privateKey });
      return furnish(account, adapt);
    };
    closers.push(() => Promise.all(nodes.map((node) => node.process?.kill())));
    return { ...actions(chain, pki, nodes), chain, vouch, pki, folder, program, nodes, addNode, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function startGateway(chain: DeployedTestChain, { settings = {}, database }: NodeWorldOptions): Promise<RunningVouch> {
  return startVouch({
    arguments: ['--only', 'gateway'],
    ...(database === undefined ? {} : { database }),
    environment: {
      VOUCH_CHAIN_RPC_URL: chain.url, VOUCH_CHAIN_ID: String(chain.chainId), VOUCH_CONTRACT_ADDRESS: chain.contracts.service,
      VOUCH_MULTICALL_ADDRESS: chain.contracts.multicall3, VOUCH_RELAYER_KEYS: chain.relayer.privateKey, VOUCH_CONFIRMATIONS: '1',
      VOUCH_BATCH_WINDOW_MS: '250', VOUCH_KEEPER: 'true', VOUCH_LOG_LEVEL: 'info', ...settings,
    },
  });
}

async function makeNode(account: TestAccount, program: string, folder: string, file: NodeFile): Promise<WorldNode> {
  await mkdir(folder, { recursive: true });
  const configuration = await writeNodeFile(folder, file);
  const runs: NodeProcess[] = [];
  const node: WorldNode = {
    account, folder, configuration, process: null,
    claimer: file.claimer,
    start(started = {}) {
      node.process = startNodeProcess({ program, folder, arguments: ['-conf', configuration], ...started });
      runs.push(node.process);
      return node.process;
    },
    log: () => runs.map((run) => run.output()).join(''),
  };
  return node;
}

type Actions = Pick<NodeWorld, 'attest' | 'events' | 'reports' | 'nodeInfo' | 'voted' | 'until'>;

function actions(chain: DeployedTestChain, pki: TestPki, nodes: readonly WorldNode[]): Actions {
  const { rpc, contracts: { service } } = chain;
  let posted = 0;
  const events = (): Promise<ServiceEvent[]> => fetchEvents(rpc, service);
  const reports = async (): Promise<Reports> => reportsOf(await events());
  const until: NodeWorld['until'] = async (what, holds, seconds = patienceSeconds) => {
    const last = performance.now() + seconds * 1_000;
    while (!(await holds())) {
      if (performance.now() > last) throw new Error(`after ${seconds} s not yet: ${what}\n${tailOf(nodes)}`);
      await sleep(pollMs);
    }
  };
  return {
    events, reports, until,
    async attest(...kinds) {
      const infos = kinds.map((kind) => pki.makeInfo(kind, Buffer.from(`${kind} ${++posted} of ${process.pid}`)));
      const { attestationIds, chosen, deadline } = await reportAttestations(rpc, chain.contracts, infos, { key: chain.deployer.privateKey });
      return attestationIds.map((id, place) => ({ id, kind: kinds[place] as TestAttestation, chosen, deadline: Number(deadline) }));
    },
    async nodeInfo(node) {
      const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeInfos', args: [node] });
      return decodeFunctionResult({ abi: verifierServiceAbi, functionName: 'nodeInfos', data: await ethCall(rpc, { to: service, data }) });
    },
    async voted(attestations, seconds) {
      const ids = new Set(attestations.map(({ id }) => id));
      const wanted = attestations.reduce((sum, { chosen }) => sum + chosen.length, 0);
      const found = async (): Promise<Reports> => {
        const { votes, skipped } = await reports();
        return { votes: votes.filter(({ attestationId }) => ids.has(attestationId)), skipped: skipped.filter(({ attestationId }) => ids.has(attestationId)) };
      };
      await until(`${wanted} votes for ${attestations.length} attestations`, async () => (await found()).votes.length >= wanted, seconds);
      return found();
    },
  };
}

/** Returns the last output of each node, for error messages. */
function tailOf(nodes: readonly WorldNode[]): string {
  return nodes.map((node, place) => `--- node ${place + 1}\n${node.log().slice(-2_000)}`).join('\n');
}
