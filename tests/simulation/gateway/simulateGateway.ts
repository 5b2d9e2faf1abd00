import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { domainHash } from '@vouch/chain/messages/digest';
import type { Hex } from '@vouch/chain/messages/operation';
import { openRecovery } from '@vouch/chain/messages/recover';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { encodeAlone, type SignedOperation } from '@vouch/gateway/calls/arrangeCalls';
import { gateway } from '@vouch/gateway/product';
import { platformMigrations } from '@vouch/platform/database/migrate';
import { encodeFunctionData } from 'viem';
import { drawAnticipation, inflictChainFault, isChainFault, drawChainFault, drawWiderFault, type ChainFault, type SharedTransaction } from '../chain/chainFaults.ts';
import { RpcNetwork } from '../chain/rpcNetwork.ts';
import { ServiceModel } from '../chain/serviceModel.ts';
import { messageKey } from '../chain/serviceState.ts';
import { SimulatedChain } from '../chain/simulatedChain.ts';
import { chainId, SimulatedEndpoint } from '../chain/simulatedEndpoint.ts';
import type { Transaction } from '../chain/transaction.ts';
import { Cluster, type Program } from '../cluster.ts';
import { DatabaseServer } from '../database/databaseServer.ts';
import { drawEvents, drawFaults, type Fault } from '../faults.ts';
import type { Simulation } from '../kernel/simulation.ts';
import type { Scenario } from '../scenario.ts';
import { Clients, type SentMessage } from './clients.ts';
import { sendWithSharedKey } from './sharedKey.ts';
import { GatewayMonitor } from './gatewayMonitor.ts';
import { confirmations, drawSettings, gatewaySettings, maxFeeGwei, multicall, service, signerBudgets, startGateway } from './gatewayProcess.ts';
import { accountOf, anticipate, drawAttestations, drawContests, drawMessages, drawNodes, signBody, signerCount, type Contest, type PlannedMessage } from './messages.ts';

const gateways = ['gateway-1', 'gateway-2', 'gateway-3'];
const endpointNames = ['rpc-1', 'rpc-2'];
const relayers = ['relayer-1', 'relayer-2'].map(accountOf);
const signers = Array.from({ length: signerCount }, (_, at) => accountOf(`signer ${at}`));
const domain = domainHash({ name: 'ProtocolService', version: '1.0.0', chainId: BigInt(chainId) });
/** Time in ms without faults at the end of a run in which all messages must end. */
const restMs = 900_000;
/** Time in ms without faults that passes at least, because a client may send its message again. */
const leastRestMs = 20_000;
const messagesPerHour = 1_800;
/** Mean interval in ms between two faults of processes and database, and between two of chain and endpoints. */
const faultsEveryMs = 6_000;
/** Mean interval in ms between two changes that another sender makes before the gateway. */
const anticipatedEveryMs = 8_000;
/** Mean interval in ms between two faults of the wider world. */
const widerEveryMs = 12_000;
/** Interval in ms between two contests for a place of the active set, in the wider world. */
const contestEveryMs = 12_000;
/** Time in ms before a contest in which nodes fill the active set, so that this is in a block by then. */
const fillAheadMs = 8_000;
/** Size of the active set in the wider world: the nodes that are active at first. */
const fewPlaces = signerCount / 2;
/** Weights of the nodes in the wider world: 1 to this number. */
const mostWeight = 3;
/** Largest number of messages in a batch of another program. */
const mostShared = 3;
/** Share of the runs with the wider world. */
const widerShare = 0.5;
/** Share of the runs in which all processes have the same settings. */
const sameSettingsShare = 0.5;
/** Time in ms before a message in which the change of another sender can be mined. */
const leastAheadMs = 1_500;

/** The gateway: processes with intake and pipeline, two relayer keys, two RPC endpoints, and a chain with reorganizations. */
export const gatewayScenario: Scenario<PlannedMessage, Fault | ChainFault> = {
  name: 'gateway',
  hours: 0.05,
  migrations: [platformMigrations, { product: gateway.name, folder: gateway.migrations }],
  tables: `INSERT INTO gateway_budgets (service, scope, subject, kind, gas_per_day, changed_at)
    SELECT '${chainId}:${service}', 'signer', '', kind, gas, now() FROM (VALUES ${Object.entries(signerBudgets).map(([kind, gas]) => `('${kind}', ${gas})`).join(', ')}) AS given (kind, gas)`,
  plan(simulation, hours) {
    const untilMs = hours * 3_600_000;
    const random = simulation.randomFor('chain faults');
    const attestations = drawAttestations(simulation.randomFor('attestations'), untilMs);
    const every = { untilMs, everyMs: faultsEveryMs };
    const chainFaults = drawEvents(random, every, () => drawChainFault(random, endpointNames, confirmations)) as ChainFault[];
    const contests = isWider(simulation) ? drawContestsOf(simulation, untilMs * 0.9) : [];
    const fills = contests.map(({ atMs, leaving, entering }): ChainFault => ({ kind: 'chain-fills', atMs: Math.max(0, atMs - fillAheadMs), leaving, entering }));
    const foreign = simulation.randomFor('anticipated changes');
    const anticipated = drawEvents(foreign, { untilMs, everyMs: anticipatedEveryMs }, () => drawAnticipation(foreign, confirmations)) as ChainFault[];
    return {
      untilMs,
      work: [
        ...drawMessages(simulation.randomFor('messages'), { count: Math.ceil(hours * messagesPerHour), untilMs: untilMs * 0.9, gateways, attestations, ...(isWider(simulation) ? { replaceable: signers.map(({ address }) => address) } : {}) }),
        ...contests.flatMap(({ messages }) => messages),
      ].sort((one, other) => one.atMs - other.atMs),
      faults: [...drawFaults(simulation.randomFor('faults'), { processes: gateways, ...every }), ...chainFaults, ...anticipated, ...fills, ...(isWider(simulation) ? drawWiderFaults(simulation, untilMs) : [])],
    };
  },
  async run(simulation, url, plan) {
    const server = await DatabaseServer.open(simulation, url);
    try {
      const chain = await openChain(simulation, plan.untilMs);
      const endpoints = endpointNames.map((name, at) => new SimulatedEndpoint(name, simulation, chain, at === 0 || simulation.randomFor('endpoints').uniform() < 0.5));
      const network = new RpcNetwork(simulation, endpoints);
      const messages = plan.work.map((planned) => ({ ...signBody(planned.operation, domain, signers[planned.signer]!), planned, requestId: null, refused: null, underWay: 0 }));
      const clients: Clients = new Clients(simulation, () => cluster, messages);
      const monitor = new GatewayMonitor(simulation, server, chain, () => clients);
      const drawn = simulation.randomFor('settings');
      const sameForAll = drawn.uniform() < sameSettingsShare;
      const keys = relayers.map(({ key }) => key);
      const programs = new Map<string, Program>(gateways.map((name, at) => {
        // The first process has each key; otherwise the messages of a key that no process has would wait forever.
        const own = drawSettings(drawn, keys, sameForAll);
        const settings = gatewaySettings(network.urls, at === 0 ? { ...own, relayer_keys: keys } : own);
        const relayerKeys = keysOfLives(simulation, plan.untilMs, settings.relayer_keys);
        return [name, async (member) => { clients.intakes.set(name, startGateway(member, network, { ...settings, relayer_keys: relayerKeys() })); }];
      }));
      const cluster: Cluster = new Cluster(simulation, server, programs);
      clients.contradicted = ({ planned, requestId }, other) => monitor.report('A message has one id', `${planned.name} is ${requestId} and ${other}`);
      clients.failed = ({ planned }, error) => monitor.report('Each refusal has a code', `${planned.name}: ${error.message}`);
      watchTransactions(endpoints, monitor);
      const random = simulation.randomFor('propagation');
      chain.mined = (head) => { for (const endpoint of endpoints) endpoint.hear(head, random.uniform() * 300); };
      chain.start();
      cluster.start();
      cluster.plan(plan.faults.filter((fault): fault is Fault => !isChainFault(fault)));
      for (const fault of plan.faults.filter(isChainFault)) simulation.after(fault.atMs, () => inflictChainFault(fault, { simulation, chain, network, stranger: () => callByStranger(clients, chain, monitor), anticipate: (of) => changeByStranger(of, clients, chain, monitor), share: (shared) => shareKey(shared, clients, chain, monitor), fill: (...of) => fillPlaces(chain, ...of) }));
      clients.start();
      await simulation.run(plan.untilMs + leastRestMs);
      await simulation.run(plan.untilMs + restMs, () => clients.done && monitor.allEnded);
      await monitor.checkEnds();
      simulation.throwIfBroken();
      return { statements: server.statements, counts: { ...monitor.counts, exchanges: network.exchanges, blocks: chain.head.number } };
    } finally {
      await server.close();
    }
  },
};

/** Whether the run has the faults of the wider world. */
function isWider(simulation: Simulation): boolean {
  return simulation.randomFor('wider world').uniform() < widerShare;
}

function drawContestsOf(simulation: Simulation, untilMs: number): Contest[] {
  const nodes = drawNodes(signers, mostWeight);
  return drawContests(simulation.randomFor('contests'), {
    everyMs: contestEveryMs, untilMs, gateways, nodes: signers.map(({ address }) => address), weightOf: (node) => nodes.get(node)!.weight,
  });
}

/** Faults of the wider world. When they are over, all processes restart, and then have all of their relayer keys. */
function drawWiderFaults(simulation: Simulation, untilMs: number): (Fault | ChainFault)[] {
  const random = simulation.randomFor('wider faults');
  const faults = drawEvents(random, { untilMs, everyMs: widerEveryMs }, () => drawWiderFault(random, endpointNames, relayers.length)) as ChainFault[];
  return [...faults, ...gateways.map((process): Fault => ({ atMs: untilMs, kind: 'kill', process, downMs: 1_000 }))];
}

/** The relayer keys of a process in each of its lives: in the wider world, a process that starts again can lack a key until the faults end. */
function keysOfLives(simulation: Simulation, untilMs: number, all: string[] | undefined): () => string[] | undefined {
  const random = simulation.randomFor('keys of lives');
  return () => {
    if (all === undefined || !isWider(simulation) || simulation.nowMs >= untilMs) return all;
    const kept = all.filter(() => random.uniform() < 0.6);
    return kept.length > 0 ? kept : undefined;
  };
}

async function openChain(simulation: Simulation, untilMs: number): Promise<SimulatedChain> {
  const attestations = drawAttestations(simulation.randomFor('attestations'), untilMs);
  const native = simulation.randomFor('contract').uniform() < 0.7;
  const model = new ServiceModel({ address: service, multicall, domain, native, recovery: await openRecovery(), ...(isWider(simulation) ? { maxActiveNodes: fewPlaces } : {}) });
  const nodes = drawNodes(signers, isWider(simulation) ? mostWeight : 1);
  const state = { nodes, lastId: nodes.size, applied: new Map(), changes: [], votes: new Map(), attestations, days: new Map() };
  return new SimulatedChain(simulation, model, state, new Map(relayers.map(({ address }) => [address, 10n ** 19n])), isWider(simulation) ? 72 : undefined);
}

/** Another sender executes the newest message that a client has sent, which everyone can see. */
function callByStranger(clients: Clients, chain: SimulatedChain, monitor: GatewayMonitor): void {
  const sent = clients.newest();
  // A contract that stores no digests would execute the message again for the gateway.
  if (sent === null || !chain.model.options.native) return;
  const { digest, signer } = sent;
  monitor.foreign.add(messageKey(digest, signer));
  chain.callByStranger(encodeAlone(asOperation(sent)));
}

/** Nodes fill the active set by transactions of their own: `leaving` enters first, and `entering` leaves. */
function fillPlaces(chain: SimulatedChain, leaving: number, entering: number): void {
  const { model } = chain;
  const send = (signer: number, data: Hex): void => chain.change((state, time) => model.execute(state, service, data, time, signers[signer]!.address));
  send(entering, encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeExit' }));
  const enter = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeEnter', args: [zeroAddress] });
  for (const signer of [leaving, ...signers.keys()]) if (signer !== entering) send(signer, enter);
}

/** Another program sends a transaction with a relayer key. */
function shareKey(shared: SharedTransaction, clients: Clients, chain: SimulatedChain, monitor: GatewayMonitor): void {
  // A contract that stores no digests would execute the messages again for the gateway.
  const messages = shared.carries === 'messages' && chain.model.options.native ? clients.recent(mostShared).map(asOperation) : [];
  if (!sendWithSharedKey(chain, relayers[shared.relayer]!.address, shared, messages)) return;
  for (const { digest, signer } of messages) monitor.foreign.add(messageKey(digest, signer));
}

function asOperation({ planned: { operation }, digest, signer, signature }: SentMessage): SignedOperation {
  return { requestId: '', operation, digest, signer, signature };
}

/** Another sender makes the change of a message by a message of its own. */
function changeByStranger(of: 'newest' | 'setting', clients: Clients, chain: SimulatedChain, monitor: GatewayMonitor): void {
  const message = of === 'newest' ? clients.newest() : clients.nextSetting(leastAheadMs);
  if (message === null) return;
  const operation = anticipate(message.planned.operation);
  const { digest, signer, signature } = signBody(operation, domain, signers[message.planned.signer]!);
  monitor.foreign.add(messageKey(digest, signer));
  chain.callByStranger(encodeAlone({ requestId: '', operation, digest, signer, signature }));
}

/** Checks each transaction that an endpoint gets. */
function watchTransactions(endpoints: readonly SimulatedEndpoint[], monitor: GatewayMonitor): void {
  const payloads = new Map<string, Hex>();
  const cap = BigInt(maxFeeGwei) * 1_000_000_000n;
  for (const endpoint of endpoints) {
    endpoint.received = ({ hash, from, nonce, to, data, maxFeeWei }: Transaction) => {
      const attempt = monitor.attempt(hash.slice(2));
      if (attempt === undefined || attempt.broadcasts === 0) monitor.report('A transaction is stored before it is sent', `nonce ${nonce} of ${from.slice(2, 8)}`);
      if (maxFeeWei > cap) monitor.report('No transaction offers more than the limit', `nonce ${nonce} of ${from.slice(2, 8)} offers ${maxFeeWei} wei`);
      if (data === '0x' && to === from) return;
      const key = `${from} ${nonce}`;
      if ((payloads.get(key) ?? data) !== data) monitor.report('A nonce is used for one payload', `nonce ${nonce} of ${from.slice(2, 8)} is sent with a second payload`);
      payloads.set(key, data);
    };
  }
}
