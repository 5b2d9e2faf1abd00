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

/** An attestation that was reported, and whose nodes are chosen. */
export interface PostedAttestation {
  id: Hex;
  kind: TestAttestation;
  /** Lower case, in the order of their `index`. */
  chosen: readonly Hex[];
  /** Last second of the chain's time in which votes count. */
  deadline: number;
}

/** One operator's machine: a folder with a configuration, in which the program is started again and again. */
export interface WorldNode {
  account: TestAccount;
  /** Null: as it is on the chain. */
  claimer: Hex | null;
  folder: string;
  configuration: string;
  /** The running program; that of the last start. */
  process: NodeProcess | null;
  start(options?: Partial<Pick<NodeProcessOptions, 'arguments' | 'environment' | 'input' | 'under' | 'detached'>>): NodeProcess;
  /** Everything that its programs wrote, from the first start on. */
  log(): string;
}

export interface NodeWorldOptions {
  nodes: number;
  /** false: nodes send and pay for themselves, and no gateway runs. */
  gateway?: boolean;
  /** As startVouch takes it; a clone on the PostgreSQL of the test run unless told. */
  database?: StartOptions['database'];
  rules?: Partial<Rules>;
  /** Seconds between two blocks; 1 unless told. */
  blockTimeSeconds?: number;
  /** Further settings of the gateway. */
  settings?: Readonly<Record<string, string>>;
  /** Changes what the nodes' files say; called one after the other. */
  file?: (file: NodeFile, place: number) => NodeFile | Promise<NodeFile>;
}

/** A chain, a gateway, a PKI that nodes trust, a reporter of attestations, and nodes that are not started yet. */
export interface NodeWorld {
  chain: DeployedTestChain;
  /** Null where nodes pay for themselves. */
  vouch: RunningVouch | null;
  pki: TestPki;
  folder: string;
  /** The built program. */
  program: string;
  nodes: readonly WorldNode[];
  /** A further node whose key has a license from now on. */
  addNode(account: TestAccount, change?: (file: NodeFile) => NodeFile): Promise<WorldNode>;
  /** Reports attestations, one transaction for all, and has nodes chosen for them. */
  attest(...kinds: readonly TestAttestation[]): Promise<PostedAttestation[]>;
  events(): Promise<ServiceEvent[]>;
  reports(): Promise<Reports>;
  nodeInfo(node: Hex): Promise<NodeInfo>;
  /** Waits until every chosen node's vote for each of them counts. @returns the votes for them */
  voted(posted: readonly PostedAttestation[], seconds?: number): Promise<Reports>;
  /** Waits for something, at most so long. @throws Error with what the nodes wrote */
  until(what: string, holds: () => Promise<boolean>, seconds?: number): Promise<void>;
  close(): Promise<void>;
}

interface NodeInfo {
  active: boolean;
  claimer: Hex;
  /** In 1/10000. */
  commissionRate: number;
  selfTotal: bigint;
  selfClaimed: bigint;
  missed: bigint;
}

/**
 * Days of ten minutes of which a few seconds must be lived through, so that the gateway's keeper reports them within the test.
 * The window outlasts every wait of a test: blocks come by the machine's clock, however slow the machine is.
 */
const worldRules: Partial<Rules> = { reportWindow: 900, commissionInterval: 60, dayLength: 600, minOnline: 4 };
/** A limit for what hangs, below that of a test, so that the failure tells what the nodes wrote. */
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
    const chain = await startTestDeployment({ operators: count, blockTimeSeconds, rules: { ...worldRules, ...rules } });
    closers.push(() => chain.stop());
    // The kept state may be of yesterday.
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

/** The end of what each node wrote, for the sentence of a failure. */
function tailOf(nodes: readonly WorldNode[]): string {
  return nodes.map((node, place) => `--- node ${place + 1}\n${node.log().slice(-2_000)}`).join('\n');
}
