import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { drawDuration, seconds, type Drawn } from '../faults.ts';
import type { Simulation } from '../kernel/simulation.ts';
import type { RpcNetwork } from './rpcNetwork.ts';
import type { SimulatedChain } from './simulatedChain.ts';

/** A fault of the chain, or of an RPC endpoint, at a point of simulated time. */
export type ChainFault = { atMs: number } & (
  | { kind: 'rpc-away' | 'rpc-busy' | 'rpc-behind' | 'rpc-hour-behind' | 'rpc-forgetful'; endpoint: string; ms: number }
  | { kind: 'rpc-lossy'; endpoint: string; ms: number; share: number }
  | { kind: 'chain-reorganization'; depth: number; keeps: boolean }
  | { kind: 'chain-forgets' }
  /** Another sender executes the newest message that a client has sent. */
  | { kind: 'chain-stranger' }
  /** Another sender makes the change of the newest message, or of the next claimer or commission, by a message of its own. A reorganization removes this change, unless `removedAfterMs` is null. */
  | { kind: 'chain-anticipated'; of: 'newest' | 'setting'; removedAfterMs: number | null; depth: number }
  /** Another program sends a transaction with a relayer key: with the next nonce, the one after the pending ones, or one with a gap, or in place of a pending transaction. */
  | ({ kind: 'chain-shared-key' } & SharedTransaction)
  /** Before two messages about one place of the active set, nodes fill the set by transactions of their own, with the node that is about to leave and without the one that is about to enter. */
  | { kind: 'chain-fills'; leaving: number; entering: number }
  | { kind: 'chain-stalls'; ms: number }
  | { kind: 'chain-dear'; ms: number; factor: number }
);

/** A transaction of a program that has the key of a relayer. */
export interface SharedTransaction {
  relayer: number;
  nonce: 'next' | 'after pending' | 'with a gap';
  /** Below the base fee, the transaction is never mined. */
  feeGwei: number;
  /** `messages`: a batch of messages that clients have sent to the gateway too. `refused call`: a call that the contract reverts. */
  carries: 'nothing' | 'messages' | 'refused call';
}

/** Draws a fault. @param maxDepth number of blocks that a reorganization can remove; transactions deeper than this are final */
export function drawChainFault(random: SeededRandom, endpoints: readonly string[], maxDepth: number): Drawn<ChainFault> {
  const duration = (least: number, most: number): number => drawDuration(random, least, most);
  const endpoint = random.pick(endpoints);
  const at = random.uniform();
  if (at < 0.12) return { kind: 'rpc-away', endpoint, ms: duration(500, 60_000) };
  if (at < 0.18) return { kind: 'rpc-busy', endpoint, ms: duration(500, 20_000) };
  if (at < 0.34) return { kind: 'rpc-behind', endpoint, ms: duration(2_000, 60_000) };
  if (at < 0.4) return { kind: 'rpc-forgetful', endpoint, ms: duration(2_000, 60_000) };
  if (at < 0.58) return { kind: 'rpc-lossy', endpoint, ms: duration(2_000, 60_000), share: 0.05 + 0.4 * random.uniform() };
  if (at < 0.8) return { kind: 'chain-reorganization', depth: 1 + random.below(maxDepth), keeps: random.uniform() < 0.4 };
  if (at < 0.86) return { kind: 'chain-forgets' };
  if (at < 0.93) return { kind: 'chain-stranger' };
  if (at < 0.96) return { kind: 'chain-stalls', ms: duration(3_000, 60_000) };
  return { kind: 'chain-dear', ms: duration(10_000, 120_000), factor: 2 + random.below(80) };
}

/** Whether a fault is one of the chain or of its endpoints, and not of a process. */
export function isChainFault<Other extends { kind: string }>(fault: Other | ChainFault): fault is ChainFault {
  return fault.kind.startsWith('rpc-') || fault.kind.startsWith('chain-');
}

/** Draws a fault of the wider world. */
export function drawWiderFault(random: SeededRandom, endpoints: readonly string[], relayers: number): Drawn<ChainFault> {
  const endpoint = random.pick(endpoints);
  const at = random.uniform();
  if (at < 0.25) return { kind: 'rpc-hour-behind', endpoint, ms: drawDuration(random, 5_000, 180_000) };
  if (at < 0.4) return { kind: 'rpc-forgetful', endpoint, ms: drawDuration(random, 60_000, 300_000) };
  const nonce = random.pick<SharedTransaction['nonce']>(['next', 'next', 'after pending', 'with a gap']);
  const carries = random.pick<SharedTransaction['carries']>(['nothing', 'messages', 'messages', 'refused call']);
  return { kind: 'chain-shared-key', relayer: random.below(relayers), nonce, feeGwei: random.uniform() < 0.15 ? 1 : drawDuration(random, 3, 90), carries };
}

/** Draws a change of another sender. It is mined within a few seconds, and most are removed by a reorganization before they are final. */
export function drawAnticipation(random: SeededRandom, maxDepth: number): Drawn<ChainFault> {
  const of = random.uniform() < 0.4 ? 'newest' : 'setting';
  return { kind: 'chain-anticipated', of, removedAfterMs: random.uniform() < 0.7 ? 3_000 + random.below(5_000) : null, depth: maxDepth };
}

interface ChainWorld {
  simulation: Simulation;
  chain: SimulatedChain;
  network: RpcNetwork;
  /** Lets another sender execute a message. */
  stranger(): void;
  /** Lets another sender make the change of a message. */
  anticipate(of: 'newest' | 'setting'): void;
  /** Lets another program send a transaction with a relayer key. */
  share?(transaction: SharedTransaction): void;
  /** Lets nodes fill the active set, with one node and without another. */
  fill?(leaving: number, entering: number): void;
}

export function inflictChainFault(fault: ChainFault, world: ChainWorld): void {
  const { simulation, chain, network, stranger, anticipate } = world;
  simulation.story.tell('endpoint' in fault ? fault.endpoint : 'chain', describe(fault));
  switch (fault.kind) {
    case 'rpc-away': return network.fail(fault.endpoint, 'away', fault.ms);
    case 'rpc-busy': return network.fail(fault.endpoint, 'busy', fault.ms);
    case 'rpc-behind': return network.fail(fault.endpoint, 'behind', fault.ms);
    case 'rpc-hour-behind': return network.fail(fault.endpoint, 'hour-behind', fault.ms);
    case 'rpc-forgetful': return network.fail(fault.endpoint, 'forgetful', fault.ms);
    case 'rpc-lossy': return network.fail(fault.endpoint, 'lossy', fault.ms, fault.share);
    case 'chain-reorganization': return chain.reorganize(fault.depth, fault.keeps);
    case 'chain-forgets': return chain.forget();
    case 'chain-stranger': return stranger();
    case 'chain-anticipated':
      anticipate(fault.of);
      if (fault.removedAfterMs !== null) simulation.after(fault.removedAfterMs, () => inflictChainFault({ kind: 'chain-reorganization', atMs: 0, depth: fault.depth, keeps: false }, world));
      return;
    case 'chain-shared-key': return world.share?.(fault);
    case 'chain-fills': return world.fill?.(fault.leaving, fault.entering);
    case 'chain-stalls': return chain.stall(fault.ms);
    case 'chain-dear': return chain.becomeDear(fault.factor, fault.ms);
  }
}

function describe(fault: ChainFault): string {
  const time = 'ms' in fault ? seconds(fault.ms) : '';
  switch (fault.kind) {
    case 'rpc-away': return `refuses connections for ${time}, and then sees the blocks of this time only after as long again`;
    case 'rpc-busy': return `answers HTTP 429 for ${time}`;
    case 'rpc-behind': return `sees no new blocks for ${time}`;
    case 'rpc-hour-behind': return `sees the chain of an hour ago for ${time}`;
    case 'rpc-forgetful': return `returns no receipts for ${time}`;
    case 'rpc-lossy': return `loses ${Math.round(fault.share * 100)} % of the requests, and of the answers, and gets as many requests twice, for ${time}`;
    case 'chain-reorganization': return `replaces the newest ${fault.depth} blocks; their transactions ${fault.keeps ? 'are pending again' : 'are lost'}`;
    case 'chain-forgets': return 'loses all pending transactions';
    case 'chain-stranger': return 'gets a message from another sender';
    case 'chain-anticipated': return `gets the change of the ${fault.of === 'newest' ? 'newest message' : 'next claimer or commission'} from another sender${fault.removedAfterMs === null ? '' : `, for ${seconds(fault.removedAfterMs)}`}`;
    case 'chain-shared-key': return `gets a transaction of another program with the key of relayer ${fault.relayer + 1}, nonce ${fault.nonce}, ${fault.feeGwei} gwei, carries ${fault.carries}`;
    case 'chain-fills': return `gets entries of all nodes but ${fault.entering + 1} from themselves, first of node ${fault.leaving + 1}`;
    case 'chain-stalls': return `has no new blocks for ${time}`;
    case 'chain-dear': return `has a base fee that rises to ${fault.factor} times the usual within ${time}`;
  }
}
