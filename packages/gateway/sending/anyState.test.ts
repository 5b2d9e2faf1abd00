import { array, assert, boolean, constantFrom, integer, property, record } from 'fast-check';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Block, Receipt } from '@vouch/chain/rpc/chainReads';
import { expect, test } from 'vitest';
import type { ChainView } from './confirming/chainView.ts';
import { gapNonces, nextNonce } from './chooseNonces.ts';
import { decideLane, unexplainedNonces, type LaneEvidence } from './decideLane.ts';
import type { NonceUser } from './confirming/findNonceUser.ts';
import type { Attempt, LiveBatch } from './liveBatch.ts';

// Tests the decisions against a model of a chain: from any stored state and any chain nonce, a new batch is mined within three
// blocks and no batch stays pending. The states include batches that were never broadcast, batches that the node dropped, and
// nonces used by foreign transactions.

const gwei = 1_000_000_000n;
const rules = { confirmations: 3 };
const hash = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;

interface Mined {
  hash: Hex;
  block: number;
}

/** A chain that mines its pool in order of nonces. */
class ModelChain {
  head = 100;
  nonce: number;
  readonly pool = new Map<number, Hex>();
  readonly mined = new Map<number, Mined>();

  constructor(nonce: number) {
    this.nonce = nonce;
  }

  send(nonce: number, transaction: Hex): void {
    if (nonce >= this.nonce) this.pool.set(nonce, transaction);
  }

  mine(): void {
    this.head += 1;
    for (let next = this.pool.get(this.nonce); next !== undefined; next = this.pool.get(this.nonce)) {
      this.pool.delete(this.nonce);
      this.mined.set(this.nonce, { hash: next, block: this.head });
      this.nonce += 1;
    }
  }

  get view(): ChainView {
    const blocks = Array.from({ length: 40 }, (_, at): Block => {
      const number = this.head - 39 + at;
      return { number, hash: hash(number), parentHash: hash(number - 1), timestamp: number, baseFee: gwei, gasLimit: 30_000_000n, gasUsed: 0n };
    });
    return { head: blocks.at(-1) as Block, blocks };
  }
}

/** Applies the decisions in memory, as the batch store does. */
class ModelLine {
  batches: LiveBatch[] = [];
  readonly ended: string[] = [];
  requeued = 0;
  #signed = 0x1000;
  readonly #chain: ModelChain;

  constructor(chain: ModelChain) {
    this.#chain = chain;
  }

  sign(more: Partial<Attempt> = {}): Attempt {
    const fees = { maxFeeWei: 3n * gwei, priorityFeeWei: gwei };
    return {
      hash: hash(this.#signed++), raw: '0x', fees, cancels: false, headNumber: this.#chain.head, createdMs: 0, broadcastMs: null, broadcasts: 0, refusal: null,
      ...more,
    };
  }

  add(batchId: string, nonce: number, attempt: Attempt): void {
    this.batches.push({ state: 'prepared', batchId, nonce, gasLimit: 1n, ended: false, attempts: [attempt] });
  }

  step(): void {
    const chain = this.#chain;
    const receipts = new Map<Hex, Receipt>();
    for (const [, { hash: transactionHash, block }] of chain.mined) {
      receipts.set(transactionHash, {
        transactionHash, blockNumber: block, blockHash: hash(block), from: '0x', to: null, contractAddress: null, succeeded: true, gasUsed: 1n,
        effectiveGasPrice: 1n, logs: [],
      });
    }
    const seen = {
      view: chain.view, nonce: chain.nonce, settled: null, receipts, oldBlocks: new Map(), setBack: false, vain: new Map(), now: chain.head * 2_000,
      market: { baseFeeWei: gwei, suggestedTipWei: gwei, capWei: 100n * gwei },
    };
    const users = new Map<number, NonceUser>();
    for (const nonce of unexplainedNonces(this.batches, seen)) {
      const user = chain.mined.get(nonce);
      if (user !== undefined) users.set(nonce, { transactionHash: user.hash, block: { number: user.block, hash: hash(user.block) } });
    }
    this.#carryOut({ ...seen, users });
    for (const nonce of gapNonces(chain.nonce, this.batches)) this.add('filler', nonce, this.sign({ cancels: true }));
    for (const batch of this.batches) if (batch.state === 'prepared') this.#broadcast(batch.nonce, batch.attempts[0] as Attempt, seen.now);
  }

  sendNew(batchId: string): void {
    const nonce = nextNonce(this.#chain.nonce, this.batches);
    const attempt = this.sign();
    this.add(batchId, nonce, attempt);
    this.#broadcast(nonce, attempt, this.#chain.head * 2_000);
  }

  #broadcast(nonce: number, attempt: Attempt, now: number): void {
    attempt.broadcastMs = now;
    attempt.broadcasts += 1;
    this.#chain.send(nonce, attempt.hash);
  }

  #carryOut(evidence: LaneEvidence): void {
    this.batches = decideLane(this.batches, evidence, rules).flatMap((decision): LiveBatch[] => {
      const { batch } = decision;
      switch (decision.do) {
        case 'mined': {
          const { blockNumber: number, blockHash } = decision.receipt;
          return [{ ...batch, state: 'mined', block: { number, hash: blockHash } }];
        }
        case 'confirm':
          this.ended.push(batch.batchId);
          return [];
        case 'abandon':
          this.requeued += 1;
          return [];
        case 'broadcast':
          this.#broadcast(batch.nonce, decision.attempt, evidence.now);
          return [{ ...decision.batch, state: 'sent' }];
        default:
          return [batch];
      }
    });
  }
}

const stored = record({
  /** Relative to the chain's nonce. */
  distance: integer({ min: -4, max: 6 }),
  broadcast: boolean(),
  inPool: boolean(),
  /** Whose transaction used the nonce, if it is below the chain's nonce. */
  used: constantFrom('us', 'stranger'),
});

test('from any stored state and any chain nonce a new batch lands within three blocks, and in the end nothing waits', () => {
  assert(property(integer({ min: 4, max: 50 }), array(stored, { maxLength: 8 }), (nonce, states) => {
    const chain = new ModelChain(nonce);
    const lane = new ModelLine(chain);
    const known = new Set<number>();
    for (const { distance, broadcast, inPool, used } of states) {
      const at = nonce + distance;
      // The database allows only one live batch per nonce.
      if (known.has(at)) continue;
      known.add(at);
      const attempt = lane.sign({ broadcastMs: broadcast ? 0 : null, headNumber: 90 });
      lane.add(`old ${at}`, at, attempt);
      if (distance < 0) chain.mined.set(at, { hash: used === 'us' && broadcast ? attempt.hash : hash(9_999), block: 95 });
      else if (broadcast && inPool) chain.send(at, attempt.hash);
    }
    lane.step();
    lane.sendNew('new');
    let blocks = 0;
    while (!lane.batches.some(({ batchId, state }) => batchId === 'new' && state === 'mined')) {
      expect(blocks++).toBeLessThan(3);
      chain.mine();
      lane.step();
    }
    for (let more = 0; more < 10; more += 1) {
      chain.mine();
      lane.step();
    }
    expect(lane.batches).toEqual([]);
    expect(lane.ended.filter((id) => id === 'new')).toHaveLength(1);
    expect(lane.ended.filter((id) => id.startsWith('old')).length + lane.requeued).toBe(known.size);
  }), { numRuns: 2_000 });
});
