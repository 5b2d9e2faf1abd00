import { array, assert, asyncProperty, integer } from 'fast-check';
import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { describe, expect, test } from 'vitest';
import { interceptRpc, refused, type Intercept } from '../../testing/testRpc.ts';
import { findNonceUser } from './findNonceUser.ts';
import { createChainFollower } from './followChain.ts';

const account: Hex = `0x${'aa'.repeat(20)}`;
const hex = (number: number): Hex => `0x${number.toString(16)}`;
const hashOf = (number: number, fork = 0): Hex => `0x${(number * 256 + fork + 1).toString(16).padStart(64, '0')}`;

/** A simulated node: the fork of each block, and the nonces that an account used in it. */
class ModelNode {
  forks: number[] = [];
  used: number[][] = [];
  /** Number of the oldest block whose state is available. */
  oldestState = 0;
  readonly asked: string[] = [];

  add(count: number, fork = 0): this {
    for (let more = 0; more < count; more += 1) {
      this.forks.push(fork);
      this.used.push([]);
    }
    return this;
  }

  /** Replaces the newest `depth` blocks with `added` blocks of another fork. */
  reorganise(depth: number, fork: number, added: number): void {
    this.forks.splice(-depth);
    this.used.splice(-depth);
    this.add(added, fork);
  }

  get head(): number {
    return this.forks.length - 1;
  }

  block(number: number): Record<string, unknown> | null {
    if (number < 0 || number > this.head) return null;
    return {
      number: hex(number), hash: hashOf(number, this.forks[number]), parentHash: number === 0 ? hashOf(0, 9) : hashOf(number - 1, this.forks[number - 1]),
      timestamp: hex(number), baseFeePerGas: hex(7), gasLimit: hex(30_000_000), gasUsed: hex(0),
      transactions: (this.used[number] ?? []).map((nonce) => ({ hash: hashOf(900_000 + nonce), from: account, nonce: hex(nonce) })),
    };
  }

  client(intercept: Intercept = (_call, pass) => pass()): RpcClient {
    const nothing = { request: () => Promise.reject(new Error('nobody')), endpoints: () => [], close: async () => {} };
    return interceptRpc(nothing, (call) => intercept(call, async () => {
      const [which] = call.params as [string];
      this.asked.push(`${call.method} ${which}`);
      if (call.method === 'eth_getBlockByNumber') return this.block(which === 'latest' ? this.head : Number(which));
      if (call.method === 'eth_getBlockByHash') return this.forks.map((_, number) => this.block(number)).find((block) => block?.['hash'] === which) ?? null;
      const at = Number(call.params[1]);
      if (at < this.oldestState) throw refused(call.method, 'missing trie node');
      return hex(this.used.slice(0, at + 1).flat().length);
    }));
  }
}

describe('following the chain', () => {
  test('reads its length once, then only what is new', async () => {
    const node = new ModelNode().add(50);
    const follower = createChainFollower(node.client(), 10, async () => {});
    expect((await follower.follow()).blocks.map(({ number }) => number)).toEqual([40, 41, 42, 43, 44, 45, 46, 47, 48, 49]);
    node.asked.length = 0;
    node.add(2);
    const { head, blocks } = await follower.follow();
    expect([head.number, blocks.length, blocks[0]?.number]).toEqual([51, 10, 42]);
    expect(node.asked).toEqual(['eth_getBlockByNumber latest', 'eth_getBlockByNumber 0x32']);
  });

  test('comes to the new chain after a reorganisation, by the hashes of parents', async () => {
    const node = new ModelNode().add(50);
    const follower = createChainFollower(node.client(), 10, async () => {});
    await follower.follow();
    node.reorganise(3, 1, 4);
    const { blocks } = await follower.follow();
    expect(blocks.map(({ hash }) => hash)).toEqual([41, 42, 43, 44, 45, 46].map((number) => hashOf(number)).concat([47, 48, 49, 50].map((number) => hashOf(number, 1))));
  });

  test('takes no block by its number that the hashes do not lead to', async () => {
    const node = new ModelNode().add(50);
    const forging: Intercept = async ({ method, params }, pass) => {
      const block = (await pass()) as Record<string, unknown>;
      return method === 'eth_getBlockByNumber' && params[0] === '0x2d' ? { ...block, hash: hashOf(45, 7) } : block;
    };
    const { blocks } = await createChainFollower(node.client(forging), 10, async () => {}).follow();
    expect(blocks.find(({ number }) => number === 45)?.hash).toBe(hashOf(45));
    const losing: Intercept = async ({ method, params }, pass) =>
      (method === 'eth_getBlockByHash' || params[0] === '0x2d' ? null : pass());
    await expect(createChainFollower(node.client(losing), 10, async () => {}).follow()).rejects.toThrow('contradicts itself');
  });

  test('does not go back with a backend that lags, until it lags for long', async () => {
    const node = new ModelNode().add(50);
    let lag = 0;
    const lagging: Intercept = ({ method, params }, pass) =>
      (method === 'eth_getBlockByNumber' && params[0] === 'latest' && lag > 0 ? Promise.resolve(node.block(node.head - lag)) : pass());
    const follower = createChainFollower(node.client(lagging), 10, async () => {});
    await follower.follow();
    lag = 2;
    for (let answer = 0; answer < 10; answer += 1) expect((await follower.follow()).head.number).toBe(49);
    expect((await follower.follow()).head.number).toBe(47);
  });

  test('verifies the chain of a view without a block of the view before, until that succeeds, and of no other view', async () => {
    const node = new ModelNode().add(50);
    let verified = 0;
    let same = true;
    const follower = createChainFollower(node.client(), 10, async () => {
      verified += 1;
      if (!same) throw new Error('another chain');
    });
    const before = await follower.follow();
    node.add(3);
    node.reorganise(2, 1, 4);
    await follower.follow();
    expect(verified).toBe(1);
    same = false;
    node.reorganise(node.head + 1, 2, 50);
    await expect(follower.follow()).rejects.toThrow('another chain');
    await expect(follower.follow()).rejects.toThrow('another chain');
    same = true;
    node.add(1, 2);
    const { head } = await follower.follow();
    expect([head.hash === before.head.hash, head.number, verified]).toEqual([false, 50, 4]);
  });
});

describe('who used a nonce', () => {
  test('is found wherever in the chain it happened', async () => {
    await assert(asyncProperty(array(integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 200 }), integer({ min: 0, max: 50 }), async (counts, wanted) => {
      const node = new ModelNode().add(counts.length);
      let nonce = 0;
      const blockOf: number[] = [];
      counts.forEach((count, number) => {
        for (let more = 0; more < count; more += 1) {
          node.used[number]?.push(nonce++);
          blockOf.push(number);
        }
      });
      if (nonce === 0) return;
      const searched = wanted % nonce;
      expect(await findNonceUser(node.client(), account, searched, node.head)).toEqual({
        transactionHash: hashOf(900_000 + searched), block: { number: blockOf[searched], hash: hashOf(blockOf[searched] as number) },
      });
    }));
  });

  test('is found with the newest states alone, and is nobody where it happened before them', async () => {
    const node = new ModelNode().add(300);
    node.oldestState = 290;
    node.used[295] = [0];
    expect((await findNonceUser(node.client(), account, 0, node.head))?.block.number).toBe(295);
    node.used[295] = [];
    node.used[100] = [0];
    expect(await findNonceUser(node.client(), account, 0, node.head)).toBeNull();
  });
});
