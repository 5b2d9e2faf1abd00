import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcCall, RpcClient, RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';
import type { SystemInterfaces } from '@vouch/platform/process/doors';
import type { Logger } from '@vouch/platform/log/logger';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import { Words, type View } from './views.ts';

/** The newest block that is known. */
export interface Head {
  number: number;
  hash: string;
  /** Time of the chain in seconds: that of the block, and what passed here since it was first seen. */
  now: number;
}

interface SeenHead {
  number: number;
  hash: string;
  timestamp: number;
  firstSeenMs: number;
  askedMs: number;
}

interface Waiting {
  call: RpcCall;
  settle(outcome: RpcOutcome): void;
  fail(error: unknown): void;
}

const newestBlock: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] };
/** How old the known head may be before it is asked for again; blocks come once a second or more slowly nearly everywhere. */
const headMaxAgeMs = 500;
/** Calls of one request, and requests at the same time. */
const callsAtOnce = 100;
const requestsAtOnce = 2;
/** Reads that wait for a request; more means that the chain is too slow for what comes in. */
const maxWaiting = 20_000;
/** Answers kept of one block; a chain that stands still must not fill the memory. */
const maxKept = 100_000;
/** For this long after a failed read, further reads fail at once instead of waiting for the chain. */
const restAfterFailureMs = 500;
/** How long the number of the newest block is kept while all answers are of older blocks. */
const newestBlockMs = 60_000;
/** How long an answer of the chain may take, all endpoints together. */
const readTimeoutMs = 8_000;

/**
 * Reads views in bulk: reads of the same turn of the event loop travel together, and an answer is kept until the next block.
 * Reads are of the latest block of whichever endpoint answers: they decide what is worth sending, never what took place.
 */
export class ChainReader {
  readonly #rpc: RpcClient;
  readonly #doors: Pick<SystemInterfaces, 'clock' | 'timers'>;
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

  constructor(rpc: RpcClient, doors: Pick<SystemInterfaces, 'clock' | 'timers'>, log: Logger) {
    this.#rpc = rpc;
    this.#doors = doors;
    this.#log = log;
  }

  /** The newest block and the time of the chain. @throws Problem `chain-unavailable` */
  async head(): Promise<Head> {
    const { number, hash, timestamp, firstSeenMs } = await this.#freshHead();
    return { number, hash, now: timestamp + Math.max(0, Math.floor((this.#doors.clock.now() - firstSeenMs) / 1000)) };
  }

  /** Number of the newest block that an answer of the last minute may be of; 0 before the first answer. */
  get newestBlock(): number {
    return this.#newestBlock.number;
  }

  /** Reads one view. @throws Problem `chain-unavailable`; also where the contract refuses, which no view here does by itself */
  async read<Value>(contract: Hex, view: View<Value>): Promise<Value> {
    const value = await this.tryRead(contract, view);
    if (value !== null) return value;
    throw unavailable('The contract does not have a function that the gateway reads. `vouch doctor` checks its address.');
  }

  /** Reads one view; null where the contract refuses: the function is absent, or the place is behind the end of a list. */
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

  /** Calls that are not kept, together. @throws Problem `chain-unavailable` where no endpoint answers */
  async ask(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    const stop = new AbortController();
    const { timers } = this.#doors;
    const late = timers.sleep(readTimeoutMs, stop.signal, false).then(() => {
      throw new Error(`no answer within ${readTimeoutMs} ms`);
    });
    late.catch(() => {});
    try {
      return await Promise.race([this.#rpc.batch(calls, stop.signal), late]);
    } catch (error) {
      throw this.#unreadable(error);
    } finally {
      stop.abort();
    }
  }

  #decode<Value>(view: View<Value>, result: unknown): Value | null {
    // An account without code answers every call with nothing.
    if (typeof result !== 'string' || result === '0x') return null;
    try {
      return view.read(new Words(result));
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  #freshHead(): SeenHead | Promise<SeenHead> {
    const now = this.#doors.clock.now();
    if (this.#head !== null && now - this.#head.askedMs < headMaxAgeMs) return this.#head;
    if (now - this.#failedMs < restAfterFailureMs) throw unavailable('It could not be read a moment ago.');
    this.#asking ??= this.#askHead(now).catch((error: unknown) => {
      this.#failedMs = this.#doors.clock.now();
      throw error;
    }).finally(() => { this.#asking = null; });
    return this.#asking;
  }

  async #askHead(askedMs: number): Promise<SeenHead> {
    const [outcome] = await this.ask([newestBlock]);
    if (outcome === undefined || !outcome.ok) throw this.#unreadable(outcome?.error);
    const block = readBlock(outcome.result);
    if (block === null) throw this.#unreadable(new Error('the endpoint answered no block'));
    this.#noteBlock(block.number);
    if (this.#head?.hash !== block.hash) {
      this.#kept = new Map();
      this.#head = { ...block, firstSeenMs: this.#doors.clock.now(), askedMs };
    } else {
      this.#head = { ...this.#head, askedMs };
    }
    return this.#head;
  }

  #keep(key: string, call: RpcCall): Promise<RpcOutcome> {
    if (this.#waiting.length >= maxWaiting) {
      throw gatewayErrors.problem('gateway-overloaded', 'The chain answers too slowly for what comes in. Send the message again in a few seconds.', {
        headers: { 'retry-after': '5' },
      });
    }
    if (this.#kept.size >= maxKept) this.#kept = new Map();
    const epoch = this.#kept;
    const outcome = new Promise<RpcOutcome>((settle, fail) => this.#waiting.push({ call, settle, fail }));
    epoch.set(key, outcome);
    // A failure is not an answer: the next one asks again.
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
      // The block comes last, so that it is not older than the state that the views show.
      void this.ask([...taken.map(({ call }) => call), newestBlock]).then(
        (outcomes) => {
          const last = outcomes[taken.length];
          const block = last?.ok === true ? readBlock(last.result) : null;
          if (block !== null) this.#noteBlock(block.number);
          taken.forEach(({ settle }, at) => settle(outcomes[at] ?? { ok: false, error: new Error('no answer') }));
        },
        (error: unknown) => taken.forEach(({ fail }) => fail(error)),
      ).finally(() => {
        this.#inFlight--;
        this.#send();
      });
    }
  }

  /** An endpoint that lags lowers nothing; a chain that was begun anew does, after a while. */
  #noteBlock(number: number): void {
    const seenMs = this.#doors.clock.now();
    if (number >= this.#newestBlock.number || seenMs - this.#newestBlock.seenMs > newestBlockMs) this.#newestBlock = { number, seenMs };
  }

  /** One read that failed says nothing about the others, so only a head that cannot be read lets all of them rest. */
  #unreadable(error: unknown): Error {
    const now = this.#doors.clock.now();
    // One line for the many reads that fail together.
    if (now - this.#loggedMs >= restAfterFailureMs) this.#log.warn({ err: error }, 'the chain cannot be read');
    this.#loggedMs = now;
    return unavailable('No endpoint of it answers as it should.');
  }
}

/** @param why a sentence without addresses, which are the operator's alone */
export function unavailable(why: string): Error {
  return gatewayErrors.problem('chain-unavailable', `The chain cannot be read now. ${why} Nothing of the message was stored; send the same message again in a few seconds.`, {
    headers: { 'retry-after': '3' },
  });
}

/** Whether the contract itself refused, as opposed to the endpoint. */
function isRevert(error: Error): boolean {
  return error instanceof RpcRefused && (error.code === 3 || /revert/i.test(error.said));
}

function readBlock(block: unknown): { number: number; hash: string; timestamp: number } | null {
  if (typeof block !== 'object' || block === null) return null;
  const { number, hash, timestamp } = block as Record<string, unknown>;
  if (typeof number !== 'string' || typeof hash !== 'string' || typeof timestamp !== 'string') return null;
  return { number: Number(number), hash, timestamp: Number(timestamp) };
}
