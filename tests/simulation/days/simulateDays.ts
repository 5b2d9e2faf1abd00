import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dailyActiveData } from '@vouch/chain/contracts/service/actions';
import { domainHash } from '@vouch/chain/messages/digest';
import type { Hex } from '@vouch/chain/messages/operation';
import { openRecovery } from '@vouch/chain/messages/recover';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { gateway } from '@vouch/gateway/product';
import { platformMigrations } from '@vouch/platform/database/migrate';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { drawChainFault, inflictChainFault, isChainFault, type ChainFault } from '../chain/chainFaults.ts';
import { noEarnings } from '../chain/dayModel.ts';
import { RpcNetwork } from '../chain/rpcNetwork.ts';
import { ServiceModel } from '../chain/serviceModel.ts';
import { SimulatedChain } from '../chain/simulatedChain.ts';
import { SimulatedEndpoint } from '../chain/simulatedEndpoint.ts';
import { Cluster, type Program } from '../cluster.ts';
import { DatabaseServer } from '../database/databaseServer.ts';
import { drawEvents, drawFaults, type Fault } from '../faults.ts';
import { confirmations, drawSettings, gatewaySettings, multicall, startGateway } from '../gateway/gatewayProcess.ts';
import { accountOf } from '../gateway/messages.ts';
import { startMs, type Simulation } from '../kernel/simulation.ts';
import { removeNode } from '../nodes/attestations.ts';
import { GatewayModel } from '../nodes/gatewayModel.ts';
import { domain, service, startSimulatedNode, type SimulatedNode } from '../nodes/nodeProcess.ts';
import type { Plan, Scenario } from '../scenario.ts';
import { DaysMonitor } from './daysMonitor.ts';
import { readStatuses } from './statusReader.ts';

/** A call of another sender: a report of a node's day, or the removal of the node from the active set. */
interface ForeignChange {
  name: string;
  atMs: number;
  kind: 'report' | 'removal';
  node: string;
}

const nodes: readonly SimulatedNode[] = [0, 1, 2].map((at) => ({
  name: `node-${at + 1}`, account: accountOf(`node ${at}`), pays: at === 2, fetches: false, claimer: `0x${(0xc1 + at).toString(16).padStart(40, '0')}`, commissionRate: 400, maxReportDelaySeconds: 0,
}));
const gateways = ['gateway-1', 'gateway-2'];
const relayers = ['relayer-1', 'relayer-2'].map(accountOf);
const readerName = 'status';
const endpointNames = ['rpc-1', 'rpc-2'];
/** Short days, so that a run has several midnights: a node reads its day once a minute, and a gateway every 15 s. */
const days = { lengthSeconds: 120, minOnlineSeconds: 95, dailyReward: 1_000_000_007n };
/** Mean intervals in ms between two faults of processes and of the chain, and between two calls of other senders. */
const everyMs = { process: 12_000, chain: 12_000, foreign: 40_000 };
const removalShare = 0.3;
/** Time in ms without faults at the end: rest of a day, a whole day, and the time in which its end becomes final and is read. */
const restMs = 440_000;
const checkMs = 2_000;
/** Share of the midnights at which a reorganization happens, and at which an endpoint is behind. */
const midnightShare = 0.8;

/** Days of nodes: two gateways that report them, two nodes that a gateway serves, one that reports its own days, and a program that asks for their status. */
export const daysScenario: Scenario<ForeignChange, Fault | ChainFault> = {
  name: 'days',
  hours: 0.15,
  migrations: [platformMigrations, { product: gateway.name, folder: gateway.migrations }],
  tables: '',
  plan(simulation, hours) {
    const untilMs = hours * 3_600_000;
    const foreign = simulation.randomFor('foreign changes');
    const random = simulation.randomFor('chain faults');
    let count = 0;
    return {
      untilMs,
      work: drawEvents(foreign, { untilMs, everyMs: everyMs.foreign }, () => ({
        name: `change ${count += 1}`, kind: foreign.uniform() < removalShare ? 'removal' as const : 'report' as const, node: foreign.pick(nodes).name,
      })),
      faults: [
        ...drawFaults(simulation.randomFor('faults'), { processes: [...nodes.map(({ name }) => name), ...gateways, readerName], untilMs, everyMs: everyMs.process }),
        ...drawEvents(random, { untilMs, everyMs: everyMs.chain }, () => drawChainFault(random, endpointNames, confirmations)) as ChainFault[],
        ...drawMidnights(simulation.randomFor('midnights'), untilMs),
      ],
    };
  },
  async run(simulation, url, plan) {
    const server = await DatabaseServer.open(simulation, url);
    const root = await mkdtemp(join(tmpdir(), 'vouch-days-'));
    try {
      const chain = await openChain(simulation);
      const endpoints = endpointNames.map((name, at) => new SimulatedEndpoint(name, simulation, chain, at === 0 || simulation.randomFor('endpoints').uniform() < 0.5));
      const network = new RpcNetwork(simulation, endpoints);
      const monitor = new DaysMonitor(simulation, server, chain, nodes, root);
      const toNodes = new GatewayModel(simulation, chain);
      const settings = { ...gatewaySettings(network.urls, drawSettings(simulation.randomFor('settings'), relayers.map(({ key }) => key), true)), keeper: true };
      const programs = new Map<string, Program>([
        ...nodes.map((node): [string, Program] => [node.name, async (member) => {
          const running = startSimulatedNode(member, node, root, network, toNodes, null);
          monitor.running.set(node.name, running);
          running.done.catch((error: unknown) => simulation.report('A node ends only if it is stopped', `${node.name}: ${(error as Error).message}`));
        }]),
        ...gateways.map((name): [string, Program] => [name, async (member) => void startGateway(member, network, settings)]),
        [readerName, async (member) => void readStatuses(member, nodes, root, network, monitor)],
      ]);
      const cluster = new Cluster(simulation, server, programs);
      await runWorld(simulation, plan, { chain, endpoints, network, monitor, cluster });
      return { statements: server.statements, counts: { ...monitor.counts, exchanges: network.exchanges, blocks: chain.head.number } };
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
  monitor: DaysMonitor;
  cluster: Cluster;
}

/** Draws reorganizations and lagging endpoints around the midnights of the contract. */
function drawMidnights(random: SeededRandom, untilMs: number): ChainFault[] {
  const faults: ChainFault[] = [];
  for (let midnightMs = days.lengthSeconds * 1_000; midnightMs < untilMs; midnightMs += days.lengthSeconds * 1_000) {
    if (random.uniform() < midnightShare) faults.push({ kind: 'chain-reorganization', atMs: midnightMs - 2_000 + random.below(9_000), depth: 1 + random.below(confirmations), keeps: random.uniform() < 0.5 });
    if (random.uniform() < midnightShare) faults.push({ kind: 'rpc-behind', atMs: midnightMs - random.below(40_000), endpoint: random.pick(endpointNames), ms: 20_000 + random.below(80_000) });
  }
  return faults;
}

/** @throws Violation */
async function runWorld(simulation: Simulation, plan: Plan<ForeignChange, Fault | ChainFault>, { chain, endpoints, network, monitor, cluster }: World): Promise<void> {
  const random = simulation.randomFor('propagation');
  chain.mined = (head) => { for (const endpoint of endpoints) endpoint.hear(head, random.uniform() * 300); };
  chain.start();
  cluster.start();
  cluster.plan(plan.faults.filter((fault): fault is Fault => !isChainFault(fault)));
  for (const fault of plan.faults.filter(isChainFault)) simulation.after(fault.atMs, () => inflictChainFault(fault, { simulation, chain, network, stranger: () => {}, anticipate: () => {} }));
  for (const { atMs, kind, node } of plan.work) simulation.after(atMs, () => changeByStranger(simulation, chain, kind, node));
  const check = (): void => {
    monitor.checkStates();
    simulation.after(checkMs, check);
  };
  simulation.after(checkMs, check);
  await simulation.run(plan.untilMs + restMs);
  await monitor.checkEnds({ quietFrom: (startMs + plan.untilMs) / 1_000 });
  simulation.throwIfBroken();
}

function changeByStranger(simulation: Simulation, chain: SimulatedChain, kind: ForeignChange['kind'], name: string): void {
  const { account: { address } } = nodes.find((each) => each.name === name)!;
  simulation.story.tell('chain', kind === 'report' ? `gets a report of the day of ${name} from another sender` : `removes ${name} from the active set`);
  if (kind === 'report') chain.callByStranger(dailyActiveData(address));
  else chain.change(removeNode(chain.model, address));
}

async function openChain(simulation: Simulation): Promise<SimulatedChain> {
  const model = new ServiceModel({ address: service, multicall, domain: domainHash(domain), native: true, recovery: await openRecovery(), days });
  const fresh = (weight: number) => ({ id: 0, active: false, weight, claimer: zeroAddress, commissionRate: 100, lastModifyAt: 0, lastEnterTime: 0, earnings: noEarnings });
  const state = { nodes: new Map(nodes.map(({ account }, at) => [account.address, fresh(1 + at)])), lastId: 0, applied: new Map(), changes: [], votes: new Map(), attestations: [], days: new Map() };
  const payers: Hex[] = [...nodes.filter(({ pays }) => pays).map(({ account }) => account.address), ...relayers.map(({ address }) => address)];
  return new SimulatedChain(simulation, model, state, new Map(payers.map((address) => [address, 10n ** 20n])));
}
