import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domainHash } from '@vouch/chain/messages/digest';
import type { Hex } from '@vouch/chain/messages/operation';
import { openRecovery } from '@vouch/chain/messages/recover';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { platformMigrations } from '@vouch/platform/database/migrate';
import { drawChainFault, inflictChainFault, type ChainFault } from '../chain/chainFaults.ts';
import { noEarnings } from '../chain/dayModel.ts';
import { RpcNetwork } from '../chain/rpcNetwork.ts';
import { ServiceModel } from '../chain/serviceModel.ts';
import { SimulatedChain, type ForeignCall } from '../chain/simulatedChain.ts';
import { SimulatedEndpoint } from '../chain/simulatedEndpoint.ts';
import { Cluster, type Program } from '../cluster.ts';
import { DatabaseServer } from '../database/databaseServer.ts';
import { drawEvents, drawFaults, type Fault } from '../faults.ts';
import { accountOf } from '../gateway/messages.ts';
import { startMs, type Simulation } from '../kernel/simulation.ts';
import type { Plan, Scenario } from '../scenario.ts';
import { announce, choose, drawRequests, removeNode, type PlannedRequest } from './attestations.ts';
import { drawGatewayFault, GatewayModel, type GatewayFault } from './gatewayModel.ts';
import { collateralOf, domain, service, startSimulatedNode, type SimulatedNode } from './nodeProcess.ts';
import { NodesMonitor } from './nodesMonitor.ts';

/** The contract removes a node from the active set. */
interface Removal {
  atMs: number;
  kind: 'node-removed';
  node: string;
}

type AnyFault = Fault | ChainFault | GatewayFault | Removal;

const singles: readonly SimulatedNode[] = [0, 1, 2].map((at) => ({
  name: `node-${at + 1}`, account: accountOf(`node ${at}`), pays: at === 2, claimer: `0x${(0xc1 + at).toString(16).padStart(40, '0')}`, commissionRate: 400, maxReportDelaySeconds: at === 1 ? 60 : 0,
}));
/** Another program that runs with the key of a node. */
const twinName = 'twin';
const names = [...singles.map(({ name }) => name), twinName];
const endpointNames = ['rpc-1', 'rpc-2'];
const maxReorganization = 6;
const requestsPerHour = 200;
/** Shortest mean intervals in ms between two faults of processes, of chain and endpoints, and of the gateway, and between two removals of nodes. */
const everyMs = { process: 10_000, chain: 8_000, gateway: 25_000, removal: 90_000 };
/** The seed multiplies each of these intervals: a restart scans the last blocks again, which hides faults of scanning, so some runs have few. */
const calmness = [1, 3, 12];
/** Time in ms without faults at the end: the longest window of a report, and the time for which a node checks attestations that ended. */
const restMs = 2_000_000;
/** Time in seconds without faults that a report may take: a node that was refused or not heard waits up to five minutes. */
const marginSeconds = 480;
const checkMs = 10_000;
/** Shares of the choices and of the other calls in removed blocks that come back. */
const returnShares = { choice: 0.6, other: 0.9 };
/** Kinds of faults of processes that a node can have; the others are about the database. */
const kinds: ReadonlySet<string> = new Set(['kill', 'pause', 'slow', 'clock']);

/** Verifier nodes: two that report through a gateway, and one that sends its transactions itself, with two RPC endpoints and a chain with reorganizations. */
export const nodesScenario: Scenario<PlannedRequest, AnyFault> = {
  name: 'nodes',
  hours: 0.2,
  migrations: [platformMigrations],
  tables: '',
  plan(simulation, hours) {
    const untilMs = hours * 3_600_000;
    const calm = simulation.randomFor('calmness');
    const [chain, gateway, removals] = [simulation.randomFor('chain faults'), simulation.randomFor('gateway faults'), simulation.randomFor('removals')];
    return {
      untilMs,
      work: drawRequests(simulation.randomFor('requests'), { count: Math.ceil(hours * requestsPerHour), untilMs: untilMs * 0.95 }),
      faults: [
        ...drawFaults(simulation.randomFor('faults'), { processes: names, untilMs, everyMs: (everyMs.process / 2) * calm.pick(calmness) }).filter(({ kind }) => kinds.has(kind)),
        ...drawEvents(chain, { untilMs, everyMs: everyMs.chain * calm.pick(calmness) }, () => drawChainFault(chain, endpointNames, maxReorganization)) as ChainFault[],
        ...drawEvents(gateway, { untilMs, everyMs: everyMs.gateway * calm.pick(calmness) }, () => drawGatewayFault(gateway)),
        ...drawEvents(removals, { untilMs, everyMs: everyMs.removal }, () => ({ kind: 'node-removed' as const, node: removals.pick(singles).name })),
      ],
    };
  },
  async run(simulation, url, plan) {
    const server = await DatabaseServer.open(simulation, url);
    const root = await mkdtemp(join(tmpdir(), 'vouch-nodes-'));
    await mkdir(collateralOf(root));
    try {
      const chain = await openChain(simulation);
      const twins = simulation.randomFor('twins');
      const nodes = twins.uniform() < 0.5 ? singles : [...singles, { ...twins.pick(singles), name: twinName }];
      const endpoints = endpointNames.map((name) => new SimulatedEndpoint(name, simulation, chain, true));
      const network = new RpcNetwork(simulation, endpoints);
      const gateway = new GatewayModel(simulation, chain);
      const monitor = new NodesMonitor(simulation, chain, nodes, root);
      gateway.received = (from, message) => monitor.noteMessage(from, message);
      for (const endpoint of endpoints) endpoint.received = (transaction) => monitor.noteTransaction(transaction);
      const programs = new Map<string, Program>(nodes.map((node) => [node.name, async (member) => {
        const running = startSimulatedNode(member, node, root, network, gateway);
        monitor.running.set(node.name, running);
        running.done.then(() => simulation.report('A node ends only if it is stopped', node.name), (error: unknown) => simulation.report('A node ends only if it is stopped', `${node.name}: ${(error as Error).message}`));
      }]));
      const cluster = new Cluster(simulation, server, programs);
      const isRunning = (fault: AnyFault): boolean => !('process' in fault) || programs.has(fault.process);
      await runWorld(simulation, { ...plan, faults: plan.faults.filter(isRunning) }, { chain, endpoints, network, gateway, monitor, cluster });
      return { statements: server.statements, counts: { ...monitor.counts, accepted: gateway.accepted, refused: gateway.refused, exchanges: network.exchanges, blocks: chain.head.number } };
    } finally {
      await server.close();
      await rm(root, { recursive: true, force: true });
    }
  },
};

interface World {
  chain: SimulatedChain;
  endpoints: readonly SimulatedEndpoint[];
  network: RpcNetwork;
  gateway: GatewayModel;
  monitor: NodesMonitor;
  cluster: Cluster;
}

/** @throws Violation */
async function runWorld(simulation: Simulation, plan: Plan<PlannedRequest, AnyFault>, { chain, endpoints, network, gateway, monitor, cluster }: World): Promise<void> {
  const random = simulation.randomFor('propagation');
  chain.mined = (head) => { for (const endpoint of endpoints) endpoint.hear(head, random.uniform() * 300); };
  chain.start();
  cluster.start();
  cluster.plan(plan.faults.filter((fault): fault is Fault => kinds.has(fault.kind)));
  for (const fault of plan.faults) {
    if (fault.kind === 'node-removed') simulation.after(fault.atMs, () => removeFromSet(simulation, chain, fault.node));
    else if (fault.kind.startsWith('gateway-')) simulation.after(fault.atMs, () => gateway.inflict(fault as GatewayFault));
    else if (!kinds.has(fault.kind)) simulation.after(fault.atMs, () => inflictChainFault(fault as ChainFault, { simulation, chain, network, stranger: () => {}, anticipate: () => {} }));
  }
  const choices = new Set<ForeignCall>();
  for (const request of plan.work) {
    simulation.after(request.atMs, () => announceRequest(simulation, chain, request));
    const choice = choose(chain.model, request);
    choices.add(choice);
    if (request.chosenAfterMs !== null) simulation.after(request.atMs + request.chosenAfterMs, () => chain.change(choice));
  }
  // Most calls come back after a reorganization, in blocks with other times.
  const removed = simulation.randomFor('removed calls');
  chain.returns = (_keeps, call) => removed.uniform() < (choices.has(call) ? returnShares.choice : returnShares.other);
  const check = (): void => {
    monitor.checkStates();
    simulation.after(checkMs, check);
  };
  simulation.after(checkMs, check);
  await simulation.run(plan.untilMs + restMs);
  monitor.checkEnds({ quietFrom: (startMs + plan.untilMs) / 1_000, marginSeconds });
  simulation.throwIfBroken();
}

function announceRequest(simulation: Simulation, chain: SimulatedChain, request: PlannedRequest): void {
  simulation.story.tell('chain', `gets ${request.name}: ${request.count} attestations${request.chosenAfterMs === null ? '' : `, to report within ${request.windowSeconds} s`}`);
  chain.change(announce(chain.model, request));
}

function removeFromSet(simulation: Simulation, chain: SimulatedChain, name: string): void {
  simulation.story.tell('chain', `removes ${name} from the active set`);
  chain.change(removeNode(chain.model, singles.find((each) => each.name === name)!.account.address));
}

async function openChain(simulation: Simulation): Promise<SimulatedChain> {
  const model = new ServiceModel({ address: service, multicall: zeroAddress, domain: domainHash(domain), native: true, recovery: await openRecovery() });
  const fresh = { id: 0, active: false, weight: 1, claimer: zeroAddress, commissionRate: 100, lastModifyAt: 0, lastEnterTime: 0, earnings: noEarnings };
  const state = { nodes: new Map(singles.map(({ account }) => [account.address, fresh])), lastId: 0, applied: new Map(), changes: [], votes: new Map(), attestations: [], days: new Map() };
  const balances = new Map<Hex, bigint>(singles.filter(({ pays }) => pays).map(({ account }) => [account.address, 10n ** 20n]));
  return new SimulatedChain(simulation, model, state, balances);
}
