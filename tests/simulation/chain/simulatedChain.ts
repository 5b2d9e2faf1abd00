import { createHash } from 'node:crypto';
import type { Hex } from '@vouch/chain/messages/operation';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { startMs, type Simulation } from '../kernel/simulation.ts';
import type { ServiceModel } from './serviceModel.ts';
import type { CallOutcome, EmittedLog, ServiceState } from './serviceState.ts';
import type { Transaction } from './transaction.ts';

/** A transaction in a block. */
export interface MinedTransaction {
  transaction: Transaction;
  succeeded: boolean;
  gasUsed: number;
  gasPriceWei: bigint;
  logs: readonly EmittedLog[];
}

/** What a call of another sender does. @param time of the block, seconds since 1970 */
export type ForeignCall = (state: ServiceState, time: number) => CallOutcome;

/** A block with the state at its end. */
export interface SimulatedBlock {
  number: number;
  hash: Hex;
  parent: SimulatedBlock | null;
  /** Order of creation over all branches. */
  order: number;
  /** Seconds since 1970. */
  timestamp: number;
  baseFeeWei: bigint;
  mined: readonly MinedTransaction[];
  /** Calls of other senders to the contract. */
  foreign: readonly ForeignCall[];
  /** Events of the foreign calls that succeeded. */
  foreignLogs: readonly EmittedLog[];
  nonces: ReadonlyMap<Hex, number>;
  balances: ReadonlyMap<Hex, bigint>;
  service: ServiceState;
}

const gwei = 1_000_000_000n;
/** Gas of a transaction without calldata. */
const baseGas = 21_000;
/** Time in ms between two blocks. */
const blockMs = { least: 1_000, most: 3_000 };
/** Share of the transactions that could be in a block and are left for the next one. */
const leftShare = 0.1;
/** Increase in percent that nodes require of a replacement. */
const bumpPercent = 10n;
/** Blocks before the run. A gateway reads up to 40 blocks below the head. */
const earlierBlocks = 50;

/** A chain of a simulation: blocks in branches, a pool of pending transactions, and one contract. */
export class SimulatedChain {
  readonly model: ServiceModel;
  readonly #simulation: Simulation;
  readonly #random: SeededRandom;
  readonly #pool = new Map<Hex, Map<number, Transaction>>();
  readonly #byHash = new Map<Hex, SimulatedBlock>();
  /** The blocks, over all branches, that contain a transaction. */
  readonly #places = new Map<Hex, SimulatedBlock[]>();
  readonly #accounts: ReadonlySet<Hex>;
  #orders = 0;
  #head: SimulatedBlock;
  #stalledUntilMs = 0;
  #dear = { untilMs: 0, factor: 1n };
  #foreign: ForeignCall[] = [];
  /** Whether a call of another sender in a removed block becomes pending again, given whether transactions do. */
  returns: (keeps: boolean, call: ForeignCall) => boolean = (keeps) => keeps;
  /** Called for each new head. */
  mined: (head: SimulatedBlock) => void = () => {};

  /** @param balances wei of the relayer keys @param everySeconds between two blocks before the run */
  constructor(simulation: Simulation, model: ServiceModel, state: ServiceState, balances: ReadonlyMap<Hex, bigint>, everySeconds = 10) {
    this.#simulation = simulation;
    this.model = model;
    this.#random = simulation.randomFor('chain');
    this.#accounts = new Set(balances.keys());
    this.#head = this.#add({
      parent: null, number: 0, timestamp: startMs / 1_000 - 100 - earlierBlocks * everySeconds, baseFeeWei: 2n * gwei, mined: [], foreign: [], foreignLogs: [], nonces: new Map(), balances, service: state,
    });
    for (let at = 1; at <= earlierBlocks; at += 1) this.#mine(this.#head.timestamp + everySeconds);
  }

  get head(): SimulatedBlock {
    return this.#head;
  }

  start(): void {
    const { least, most } = blockMs;
    this.#simulation.after(least + this.#random.uniform() * (most - least), () => {
      if (this.#simulation.nowMs >= this.#stalledUntilMs) this.#mine(Math.max(this.#now(), this.#head.timestamp + 1));
      this.start();
    });
  }

  stall(ms: number): void {
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, this.#simulation.nowMs + ms);
  }

  /** Multiplies the base fee for a time. */
  becomeDear(factor: number, ms: number): void {
    this.#dear = { untilMs: this.#simulation.nowMs + ms, factor: BigInt(factor) };
  }

  /** Another sender calls the contract in the next block. */
  callByStranger(data: Hex): void {
    this.change((state, time) => this.model.execute(state, this.model.options.address, data, time));
  }

  /** Another sender changes the contract in the next block. */
  change(call: ForeignCall): void {
    this.#foreign.push(call);
  }

  /** The nonce after the transactions of an account up to a block, and after those that wait without a gap. */
  pendingNonce(account: Hex, head: SimulatedBlock): number {
    const own = this.#pool.get(account);
    let nonce = head.nonces.get(account) ?? 0;
    while (own?.has(nonce) === true) nonce += 1;
    return nonce;
  }

  /** The transaction that used a nonce on the branch of the head, and its block; null while none did. */
  userOf(account: Hex, nonce: number): { transaction: Transaction; block: SimulatedBlock } | null {
    for (let block: SimulatedBlock | null = this.#head; block !== null && (block.nonces.get(account) ?? 0) > nonce; block = block.parent) {
      const used = block.mined.find(({ transaction }) => transaction.from === account && transaction.nonce === nonce);
      if (used !== undefined) return { transaction: used.transaction, block };
    }
    return null;
  }

  /** Loses all pending transactions. */
  forget(): void {
    this.#pool.clear();
  }

  /** Replaces the newest blocks by one more. @param keeps whether the transactions of the removed blocks become pending again */
  reorganize(depth: number, keeps: boolean): void {
    let parent = this.#head;
    const removed: Transaction[] = [];
    for (let at = 0; at < depth && parent.parent !== null; at += 1) {
      removed.push(...parent.mined.map(({ transaction }) => transaction));
      this.#foreign.unshift(...parent.foreign.filter((call) => this.returns(keeps, call)));
      parent = parent.parent;
    }
    this.#head = parent;
    if (keeps) for (const transaction of removed) this.#keep(transaction);
    const from = parent.timestamp;
    const until = Math.max(this.#now(), from + depth + 1);
    for (let at = 1; at <= depth + 1; at += 1) this.#mine(from + Math.max(at, Math.floor(((until - from) * at) / (depth + 1))));
  }

  /** Takes a transaction into the pool. @returns the refusal in the words of a node; null if the transaction was taken */
  send(transaction: Transaction): string | null {
    const { from, nonce, gasLimit, maxFeeWei, hash } = transaction;
    if (nonce < (this.#head.nonces.get(from) ?? 0)) return 'nonce too low';
    if ((this.#head.balances.get(from) ?? 0n) < BigInt(gasLimit) * maxFeeWei) return 'insufficient funds for gas * price + value';
    const before = this.#pool.get(from)?.get(nonce);
    if (before?.hash === hash) return 'already known';
    if (before !== undefined && !outbids(transaction, before)) return 'replacement transaction underpriced';
    this.#keep(transaction);
    return null;
  }

  block(hash: Hex): SimulatedBlock | undefined {
    return this.#byHash.get(hash);
  }

  /** The blocks of a time in seconds since 1970, over all branches. */
  blocksAt(timestamp: number): SimulatedBlock[] {
    return [...this.#byHash.values()].filter((block) => block.timestamp === timestamp);
  }

  /** The block of a branch that contains a transaction. */
  placeOf(transaction: Hex, head: SimulatedBlock): SimulatedBlock | null {
    return this.#places.get(transaction)?.find((block) => ancestor(head, block.number) === block) ?? null;
  }

  #now(): number {
    return Math.floor((startMs + this.#simulation.nowMs) / 1_000);
  }

  #keep(transaction: Transaction): void {
    const { from, nonce } = transaction;
    const own = this.#pool.get(from) ?? new Map<number, Transaction>();
    this.#pool.set(from, own);
    const before = own.get(nonce);
    if (before === undefined || outbids(transaction, before)) own.set(nonce, transaction);
  }

  #mine(timestamp: number): void {
    const parent = this.#head;
    const baseFeeWei = this.#nextBaseFee(parent);
    const nonces = new Map(parent.nonces);
    const balances = new Map(parent.balances);
    let { service } = parent;
    const foreign = this.#foreign.splice(0);
    let foreignLogs: readonly EmittedLog[] = [];
    for (const call of foreign) {
      const outcome = call(service, timestamp);
      if (outcome.succeeded) [service, foreignLogs] = [outcome.state, [...foreignLogs, ...outcome.logs]];
    }
    const mined: MinedTransaction[] = [];
    for (const from of this.#accounts) {
      const own = this.#pool.get(from) ?? new Map<number, Transaction>();
      for (let nonce = nonces.get(from) ?? 0; own.has(nonce); nonce += 1) {
        const transaction = own.get(nonce)!;
        if (transaction.maxFeeWei < baseFeeWei || this.#random.uniform() < leftShare) break;
        const done = this.#execute(transaction, service, timestamp, baseFeeWei);
        if (balances.get(from)! < BigInt(done.gasUsed) * done.gasPriceWei) break;
        service = done.service;
        nonces.set(from, nonce + 1);
        balances.set(from, balances.get(from)! - BigInt(done.gasUsed) * done.gasPriceWei);
        mined.push(done);
        own.delete(nonce);
      }
      for (const nonce of own.keys()) if (nonce < (nonces.get(from) ?? 0)) own.delete(nonce);
    }
    this.#head = this.#add({ parent, number: parent.number + 1, timestamp, baseFeeWei, mined, foreign, foreignLogs, nonces, balances, service });
    for (const { transaction } of mined) this.#places.set(transaction.hash, [...this.#places.get(transaction.hash) ?? [], this.#head]);
    this.mined(this.#head);
  }

  #execute(transaction: Transaction, before: ServiceState, timestamp: number, baseFeeWei: bigint): MinedTransaction & { service: ServiceState } {
    const { from, to, data, gasLimit, maxFeeWei, priorityFeeWei } = transaction;
    const offered = baseFeeWei + priorityFeeWei;
    const gasPriceWei = offered < maxFeeWei ? offered : maxFeeWei;
    const plain = { transaction, gasPriceWei, logs: [], service: before };
    if (data === '0x') return { ...plain, succeeded: true, gasUsed: baseGas };
    const outcome = this.model.execute(before, to, data, timestamp, from);
    const gasUsed = baseGas + outcome.gas;
    if (gasUsed > gasLimit) return { ...plain, succeeded: false, gasUsed: gasLimit };
    return outcome.succeeded ? { ...plain, succeeded: true, gasUsed, logs: outcome.logs, service: outcome.state } : { ...plain, succeeded: false, gasUsed };
  }

  #nextBaseFee({ baseFeeWei }: SimulatedBlock): bigint {
    const isDear = this.#simulation.nowMs < this.#dear.untilMs;
    const wanted = 2n * gwei * (isDear ? this.#dear.factor : 1n);
    // Protocol: at most one eighth per block.
    const step = baseFeeWei / 8n;
    return baseFeeWei < wanted ? min(baseFeeWei + step, wanted) : max(baseFeeWei - step, wanted);
  }

  #add(block: Omit<SimulatedBlock, 'order' | 'hash'>): SimulatedBlock {
    const order = this.#orders++;
    const text = [block.parent?.hash ?? '', order, block.timestamp, ...block.mined.map(({ transaction }) => transaction.hash)].join(' ');
    const added = { ...block, order, hash: `0x${createHash('sha256').update(text).digest('hex')}` as const };
    this.#byHash.set(added.hash, added);
    return added;
  }
}

/** The block of a number on the branch of `head`; null above the head. */
export function ancestor(head: SimulatedBlock, number: number): SimulatedBlock | null {
  if (number > head.number || number < 0) return null;
  let block = head;
  while (block.number > number) block = block.parent!;
  return block;
}

function outbids(next: Transaction, before: Transaction): boolean {
  const raised = (wei: bigint): bigint => (wei * (100n + bumpPercent)) / 100n;
  return next.maxFeeWei >= raised(before.maxFeeWei) && next.priorityFeeWei >= raised(before.priorityFeeWei);
}

function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function max(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
