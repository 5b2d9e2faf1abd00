import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domainHash } from '@vouch/chain/messages/digest';
import type { Hex } from '@vouch/chain/messages/operation';
import { openRecovery } from '@vouch/chain/messages/recover';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { platformMigrations } from '@vouch/platform/database/migrate';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { drawChainFault, inflictChainFault, type ChainFault } from '../chain/chainFaults.ts';
import { noEarnings } from '../chain/dayModel.ts';
import { RpcNetwork } from '../chain/rpcNetwork.ts';
import { ServiceModel } from '../chain/serviceModel.ts';
import { SimulatedChain, type ForeignCall } from '../chain/simulatedChain.ts';
import { SimulatedEndpoint } from '../chain/simulatedEndpoint.ts';
import { Cluster, type Program } from '../cluster.ts';
import { DatabaseServer } from '../database/databaseServer.ts';
import { drawDuration, drawEvents, drawFaults, type Fault } from '../faults.ts';
import { accountOf } from '../gateway/messages.ts';
import { startMs, type Simulation } from '../kernel/simulation.ts';
import type { Plan, Scenario } from '../scenario.ts';
import { announce, choose, drawRequests, makeAttestations, removeNode, type PlannedAttestation, type PlannedRequest } from './attestations.ts';
import { CollateralModel, drawCollateralFault, type CollateralDates, type CollateralFault } from './collateralModel.ts';
import { drawGatewayFault, GatewayModel, type GatewayFault } from './gatewayModel.ts';
import { collateralOf, domain, service, startSimulatedNode, type SimulatedNode } from './nodeProcess.ts';
import { NodesMonitor } from './nodesMonitor.ts';
import { SimulatedPki } from './simulatedPki.ts';

/** The contract removes a node from the active set. */
interface Removal {
  atMs: number;
  kind: 'node-removed';
  node: string;
}

type AnyFault = Fault | ChainFault | GatewayFault | CollateralFault | Removal;

const singles: readonly SimulatedNode[] = [0, 1, 2].map((at) => ({
  name: `node-${at + 1}`, account: accountOf(`node ${at}`), pays: at === 2, fetches: at !== 2, claimer: `0x${(0xc1 + at).toString(16).padStart(40, '0')}`, commissionRate: 400, maxReportDelaySeconds: at === 1 ? 60 : 0,
}));
/** Another program that runs with the key of a node. */
const twinName = 'twin';
const names = [...singles.map(({ name }) => name), twinName];
const endpointNames = ['rpc-1', 'rpc-2'];
const maxReorganization = 6;
const requestsPerHour = 200;
/** Shortest mean intervals in ms between two faults of processes, of chain and endpoints, and of the gateway and of the collateral service, and between two removals of nodes. */
const everyMs = { process: 10_000, chain: 8_000, gateway: 25_000, removal: 90_000, collateral: 40_000 };
/** The seed multiplies each of these intervals: a restart scans the last blocks again, which hides faults of scanning, so some runs have few. */
const calmness = [1, 3, 12, 80];
/** Time in ms without faults at the end: the longest window of a report, and the time for which a node checks attestations that ended. */
const restMs = 2_000_000;
const checkMs = 10_000;
/** Share of the run after which the service has newer collateral, that of the start has ended, and the service has no faults. */
const collateralShare = 0.6;
/** Longest time in ms that an operator takes, and shortest until collateral ends or newer is published; less in a short run. */
const maxOperatorMs = 120_000;
const minCollateralMs = 20_000;
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
    const [chain, gateway, removals, collateral] = ['chain faults', 'gateway faults', 'removals', 'collateral faults'].map((name) => simulation.randomFor(name)) as [SeededRandom, SeededRandom, SeededRandom, SeededRandom];
    return {
      untilMs,
      work: drawRequests(simulation.randomFor('requests'), { kinds: simulation.randomFor('kinds'), count: Math.ceil(hours * requestsPerHour), untilMs: untilMs * 0.95 }),
      faults: [
        ...drawFaults(simulation.randomFor('faults'), { processes: names, untilMs, everyMs: (everyMs.process / 2) * calm.pick(calmness) }).filter(({ kind }) => kinds.has(kind)),
        ...drawEvents(chain, { untilMs, everyMs: everyMs.chain * calm.pick(calmness) }, () => drawChainFault(chain, endpointNames, maxReorganization)) as ChainFault[],
        ...drawEvents(gateway, { untilMs, everyMs: everyMs.gateway * calm.pick(calmness) }, () => drawGatewayFault(gateway)),
        ...drawEvents(collateral, { untilMs: untilMs * collateralShare, everyMs: everyMs.collateral * calm.pick(calmness) }, () => drawCollateralFault(collateral))
          .map((fault) => ({ ...fault, ms: Math.min(fault.ms, untilMs * collateralShare - fault.atMs) })),
        ...drawEvents(removals, { untilMs, everyMs: everyMs.removal }, () => ({ kind: 'node-removed' as const, node: removals.pick(singles).name })),
      ],
    };
  },
  async run(simulation, url, plan) {
    const server = await DatabaseServer.open(simulation, url);
    const root = await mkdtemp(join(tmpdir(), 'vouch-nodes-'));
    try {
      const chain = await openChain(simulation);
      const twins = simulation.randomFor('twins');
      const nodes = twins.uniform() < 0.5 ? singles : [...singles, { ...twins.pick(singles), name: twinName }];
      const endpoints = endpointNames.map((name) => new SimulatedEndpoint(name, simulation, chain, true));
      const network = new RpcNetwork(simulation, endpoints);
      const gateway = new GatewayModel(simulation, chain);
      const pki = new SimulatedPki();
      const attestations = new Map(plan.work.map((request) => [request, makeAttestations(pki, request)]));
      const collateral = drawCollateral(simulation, pki, plan.untilMs);
      const source = { model: collateral.model, trustRoot: pki.trustRoot };
      for (const node of nodes) supplyCollateral(simulation, collateral, node, collateralOf(root, node));
      const monitor = new NodesMonitor(simulation, chain, nodes, root, new Map([...attestations.values()].flat().map((each) => [each.id, each])), collateral.dates);
      gateway.received = (from, message) => monitor.noteMessage(from, message);
      for (const endpoint of endpoints) endpoint.received = (transaction) => monitor.noteTransaction(transaction);
      const programs = new Map<string, Program>(nodes.map((node) => [node.name, async (member) => {
        const running = startSimulatedNode(member, node, root, network, gateway, source);
        monitor.running.set(node.name, running);
        running.done.then(() => simulation.report('A node ends only if it is stopped', node.name), (error: unknown) => simulation.report('A node ends only if it is stopped', `${node.name}: ${(error as Error).message}`));
      }]));
      const cluster = new Cluster(simulation, server, programs);
      const isRunning = (fault: AnyFault): boolean => !('process' in fault) || programs.has(fault.process);
      await runWorld(simulation, { ...plan, faults: plan.faults.filter(isRunning) }, { chain, endpoints, network, gateway, collateral: collateral.model, attestations, monitor, cluster });
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
  collateral: CollateralModel;
  attestations: ReadonlyMap<PlannedRequest, readonly PlannedAttestation[]>;
  monitor: NodesMonitor;
  cluster: Cluster;
}

/** @throws Violation */
async function runWorld(simulation: Simulation, plan: Plan<PlannedRequest, AnyFault>, { chain, endpoints, network, gateway, collateral, attestations, monitor, cluster }: World): Promise<void> {
  const random = simulation.randomFor('propagation');
  chain.mined = (head) => { for (const endpoint of endpoints) endpoint.hear(head, random.uniform() * 300); };
  chain.start();
  cluster.start();
  cluster.plan(plan.faults.filter((fault): fault is Fault => kinds.has(fault.kind)));
  for (const fault of plan.faults) {
    if (fault.kind === 'node-removed') simulation.after(fault.atMs, () => removeFromSet(simulation, chain, fault.node));
    else if (fault.kind.startsWith('gateway-')) simulation.after(fault.atMs, () => gateway.inflict(fault as GatewayFault));
    else if (fault.kind.startsWith('collateral-')) simulation.after(fault.atMs, () => collateral.inflict(fault as CollateralFault));
    else if (!kinds.has(fault.kind)) simulation.after(fault.atMs, () => inflictChainFault(fault as ChainFault, { simulation, chain, network, stranger: () => {}, anticipate: () => {} }));
  }
  const choices = new Set<ForeignCall>();
  for (const request of plan.work) {
    const announced = attestations.get(request)!;
    simulation.after(request.atMs, () => announceRequest(simulation, chain, request, announced));
    const choice = choose(chain.model, request, announced);
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
  monitor.checkEnds({ quietFrom: (startMs + plan.untilMs) / 1_000, collateralFrom: (startMs + plan.untilMs * collateralShare) / 1_000 });
  simulation.throwIfBroken();
}

interface DrawnCollateral {
  model: CollateralModel;
  random: SeededRandom;
  dates: CollateralDates;
  /** Longest time in ms from the publication of newer collateral until an operator has put it into a folder. */
  operatorMs: number;
}

/** Draws when the collateral of the start ends, and when the service has newer. */
function drawCollateral(simulation: Simulation, pki: SimulatedPki, untilMs: number): DrawnCollateral {
  const random = simulation.randomFor('collateral dates');
  const span = untilMs * collateralShare;
  const operatorMs = Math.min(maxOperatorMs, span / 3);
  const least = Math.min(minCollateralMs, span / 4);
  const dates = { endsMs: drawDuration(random, least, span), renewedMs: drawDuration(random, least, span - operatorMs) };
  return { model: new CollateralModel(simulation, pki, dates), random, dates, operatorMs };
}

/** Puts collateral into the folder of a node: some nodes start without, and some get newer from their operator. */
function supplyCollateral(simulation: Simulation, { model, random, dates, operatorMs }: DrawnCollateral, node: SimulatedNode, folder: string): void {
  if (!node.fetches || random.uniform() < 0.5) model.put(folder, 'old');
  if (node.fetches) return;
  simulation.after(dates.renewedMs + random.uniform() * operatorMs, () => {
    simulation.story.tell(node.name, 'gets newer collateral from its operator');
    model.put(folder, 'renewed');
  });
}

function announceRequest(simulation: Simulation, chain: SimulatedChain, request: PlannedRequest, announced: readonly PlannedAttestation[]): void {
  simulation.story.tell('chain', `gets ${request.name}: ${request.kinds.join(', ')}${request.chosenAfterMs === null ? '' : `, to report within ${request.windowSeconds} s`}`);
  chain.change(announce(chain.model, request, announced));
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
