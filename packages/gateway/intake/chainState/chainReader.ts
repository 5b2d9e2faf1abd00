import type { Hex } from '@vouch/chain/messages/operation';
import { parseBlock } from '@vouch/chain/rpc/chainReads';
import type { RpcCall, RpcClient, RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused, RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Logger } from '@vouch/platform/log/logger';
import { withinTime } from '@vouch/platform/process/withinTime';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import { Words, type View } from './views.ts';

/** The newest known block. */
export interface Head {
  number: number;
  hash: string;
  /**
   * Estimated time of the chain in seconds since 1970: the block's timestamp plus the time since this process first saw the
   * block.
   */
  now: number;
}

interface SeenHead {
  number: number;
  hash: string;
  timestamp: number;
  /** Times by `elapsedMs`. */
  firstSeenMs: number;
  askedMs: number;
}

interface Waiting {
  call: RpcCall;
  settle(outcome: RpcOutcome): void;
  fail(error: unknown): void;
}

const newestBlock: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] };
/** Maximum age in ms of the known head before a new read; most chains produce at most one block per second. */
const headMaxAgeMs = 500;
/** Limits: calls in one RPC request, and concurrent RPC requests. */
const callsAtOnce = 100;
const requestsAtOnce = 2;
/** Maximum number of waiting reads; more waiting reads mean that the RPC endpoints are too slow for the incoming messages. */
const maxWaiting = 20_000;
/** Maximum number of cached results of one block; limits memory if the chain produces no blocks. */
const maxKept = 100_000;
/** After a failed read of the head, further reads fail immediately for this time. */
const restAfterFailureMs = 500;
/** Time after which a lower block number replaces the known newest one, if all endpoints report lower numbers. */
const newestBlockMs = 60_000;
/** Time limit of one request, retries at all endpoints included. */
const readTimeoutMs = 8_000;

/**
 * Reads contract views in bulk. Reads of one turn of the event loop share one request; results are cached until the next block.
 * Different endpoints can answer for different blocks, so the results decide only which messages are accepted, never which
 * transactions took effect.
 */
export class ChainReader {
  readonly #rpc: RpcClient;
  readonly #system: Pick<SystemInterfaces, 'elapsedMs' | 'timers'>;
  readonly #log: Logger;
  #head: SeenHead | null = null;
  #asking: Promise<SeenHead> | null = null;
  #kept = new Map<string, Promise<RpcOutcome>>();
  #waiting: Waiting[] = [];
  #scheduled = false;
  #inFlight = 0;
  #newestBlock = { number: 0, seenMs: -Infinity };
  #failedMs = -Infinity;
  #loggedMs = -Infinity;

  constructor(rpc: RpcClient, system: Pick<SystemInterfaces, 'elapsedMs' | 'timers'>, log: Logger) {
    this.#rpc = rpc;
    this.#system = system;
    this.#log = log;
  }

  /**
   * Returns the newest block and the estimated time of the chain.
   * @throws Problem `chain-unavailable`
   */
  async head(): Promise<Head> {
    const { number, hash, timestamp, firstSeenMs } = await this.#freshHead();
    return { number, hash, now: timestamp + Math.floor((this.#system.elapsedMs() - firstSeenMs) / 1000) };
  }

  /** The highest block number reported within the last minute; 0 before the first answer. */
  get newestBlock(): number {
    return this.#newestBlock.number;
  }

  /**
   * Reads one view.
   * @throws Problem `chain-unavailable`, also if the call reverts or the contract does not have the view
   */
  async read<Value>(contract: Hex, view: View<Value>): Promise<Value> {
    const value = await this.tryRead(contract, view);
    if (value !== null) return value;
    throw unavailable('The contract does not have a function that the gateway reads. `vouch doctor` checks its address.');
  }

  /** Reads one view; null if the call reverts, because the function does not exist or the index is past the end of a list. */
  async tryRead<Value>(contract: Hex, view: View<Value>): Promise<Value | null> {
    await this.#freshHead();
    const key = contract + view.data;
    const kept = this.#kept.get(key) ?? this.#keep(key, { method: 'eth_call', params: [{ to: contract, data: view.data }, 'latest'] });
    const outcome = await kept;
    if (!outcome.ok) {
      if (isRevert(outcome.error)) return null;
      throw this.#unreadable(outcome.error);
    }
    return this.#decode(view, outcome.result);
  }

  /**
   * Sends calls in one batch, without caching.
   * @throws Problem `chain-unavailable` if no endpoint answers
   */
  ask(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    return this.#inTime((signal) => this.#rpc.batch(calls, signal));
  }

  async #inTime<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { timers } = this.#system;
    const fault = (): Error => new Error(`no answer within ${readTimeoutMs} ms`);
    try {
      return await withinTime({ timeoutMs: readTimeoutMs, timers, fault }, work);
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  #decode<Value>(view: View<Value>, result: unknown): Value | null {
    // A call to an address without code returns empty data.
    if (typeof result !== 'string' || result === '0x') return null;
    try {
      return view.read(new Words(result));
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  #freshHead(): SeenHead | Promise<SeenHead> {
    const now = this.#system.elapsedMs();
    if (this.#head !== null && now - this.#head.askedMs < headMaxAgeMs) return this.#head;
    if (now - this.#failedMs < restAfterFailureMs) throw unavailable('The previous attempt failed a moment ago.');
    this.#asking ??= this.#askHead(now).catch((error: unknown) => {
      this.#failedMs = this.#system.elapsedMs();
      throw error;
    }).finally(() => { this.#asking = null; });
    return this.#asking;
  }

  async #askHead(askedMs: number): Promise<SeenHead> {
    // An invalid block counts as a failure of its endpoint, so that the next one is asked.
    const block = await this.#inTime((signal) => this.#rpc.ask(newestBlock.method, newestBlock.params, parseBlock, signal));
    this.#noteBlock(block.number);
    if (this.#head?.hash !== block.hash) {
      this.#kept = new Map();
      this.#head = { number: block.number, hash: block.hash, timestamp: block.timestamp, firstSeenMs: this.#system.elapsedMs(), askedMs };
    } else {
      this.#head = { ...this.#head, askedMs };
    }
    return this.#head;
  }

  #keep(key: string, call: RpcCall): Promise<RpcOutcome> {
    if (this.#waiting.length >= maxWaiting) {
      throw gatewayErrors.problem('gateway-overloaded', 'The chain answers too slowly for the number of incoming messages. Send the message again in a few seconds.', {
        headers: { 'retry-after': '5' },
      });
    }
    if (this.#kept.size >= maxKept) this.#kept = new Map();
    const epoch = this.#kept;
    const outcome = new Promise<RpcOutcome>((settle, fail) => this.#waiting.push({ call, settle, fail }));
    epoch.set(key, outcome);
    // Failed calls are not cached, so the next read asks again.
    outcome.then(
      (given) => { if (!given.ok && !isRevert(given.error)) epoch.delete(key); },
      () => epoch.delete(key),
    );
    this.#schedule();
    return outcome;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#inFlight < requestsAtOnce) {
      const taken = this.#waiting.splice(0, callsAtOnce);
      this.#inFlight++;
      // The block number is read last, so that it is not below the block of the views' state.
      void this.ask([...taken.map(({ call }) => call), newestBlock]).then(
        (outcomes) => {
          this.#noteAnswer(outcomes[taken.length]);
          taken.forEach(({ settle }, at) => settle(outcomes[at] ?? { ok: false, error: new Error('no answer') }));
        },
        (error: unknown) => taken.forEach(({ fail }) => fail(error)),
      ).finally(() => {
        this.#inFlight--;
        this.#send();
      });
    }
  }

  /** Notes the block of a batch; an invalid one says nothing about the views of the batch. */
  #noteAnswer(outcome: RpcOutcome | undefined): void {
    if (outcome?.ok !== true) return;
    try {
      this.#noteBlock(parseBlock(outcome.result).number);
    } catch (error) {
      this.#log.warn({ err: error }, 'the chain cannot be read');
    }
  }

  /**
   * Ignores lower numbers of lagging endpoints for `newestBlockMs`; afterwards accepts a lower number, because the chain was
   * reset.
   */
  #noteBlock(number: number): void {
    const seenMs = this.#system.elapsedMs();
    if (number >= this.#newestBlock.number || seenMs - this.#newestBlock.seenMs > newestBlockMs) this.#newestBlock = { number, seenMs };
  }

  /**
   * Builds the error for a failed read. A failed read of a view does not block other reads; only a failed read of the head
   * does.
   */
  #unreadable(error: unknown): Error {
    const now = this.#system.elapsedMs();
    // Limits the log to one line for reads that fail together.
    if (now - this.#loggedMs >= restAfterFailureMs) this.#log.warn({ err: error }, 'the chain cannot be read');
    this.#loggedMs = now;
    const other = error instanceof RpcUnavailable ? error.faults.find(({ kind }) => kind === 'other-chain') : undefined;
    return unavailable(other === undefined ? 'No RPC endpoint answers correctly.' : `No RPC endpoint answers correctly; one ${other.what}.`);
  }
}

/**
 * Builds Problem `chain-unavailable`.
 * @param why a sentence without RPC URLs, which only the gateway's operator may see
 */
export function unavailable(why: string): Error {
  return gatewayErrors.problem('chain-unavailable', `The chain is unavailable. ${why} The gateway stored nothing of the message; send the same message again in a few seconds.`, {
    headers: { 'retry-after': '3' },
  });
}

/** Whether the contract reverted; false if the endpoint refused the call. */
function isRevert(error: Error): boolean {
  return error instanceof RpcRefused && (error.code === 3 || /revert/i.test(error.said));
}
