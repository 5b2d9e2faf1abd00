import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { Problem } from '@vouch/platform/errors/problem';
import { describe, expect, it } from 'vitest';
import { usualRules } from '../chainState/gatewayChain.ts';
import type { NodeState } from '../chainState/views.ts';
import { checkExpiry } from './expiry.ts';
import { foreseeNode, type FutureNode } from './futureNode.ts';
import { describeCommission, explainUnchanged } from '../../calls/explainUnchanged.ts';
import { judgeCommission } from './judgePreferences.ts';
import { SignerTurns } from './signerTurns.ts';

const now = 1_700_000_000;
const signer = `0x${'12'.repeat(20)}` as const;
const fresh: NodeState = { id: 0, active: false, claimer: zeroAddress, commissionRate: 0, lastModifyAt: 0 };
const registered: FutureNode = { ...fresh, id: 4, active: true, registered: true };

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('the expiry', () => {
  it.each([
    [-1, 'message-expired'], [0, 'expires-too-soon'], [59, 'expires-too-soon'], [60, 'accepted'], [21_600, 'accepted'], [21_601, 'expires-too-late'],
  ])('%i s after the time of the chain is %s', (ahead, code) => {
    expect(codeOf(() => checkExpiry(BigInt(now + ahead), now, 21_600))).toBe(code);
  });

  it('may be any number that fits the typed data', () => {
    expect(codeOf(() => checkExpiry(2n ** 256n - 1n, now, 21_600))).toBe('expires-too-late');
    expect(codeOf(() => checkExpiry(0n, now, 21_600))).toBe('message-expired');
  });

  it('that is barely too late is told so that it can be told from what is allowed', () => {
    expect(() => checkExpiry(BigInt(now + 21_601), now, 21_600)).toThrow('21601 s after the time of the chain (1700000000); the contract allows at most 21600 s.');
    expect(() => checkExpiry(BigInt(now + 25_200), now, 21_600)).toThrow('7 h after the time of the chain (1700000000); the contract allows at most 6 h.');
  });
});

describe('a node', () => {
  it('is foreseen as its pending messages will leave it, in their order', () => {
    const enter = { kind: 'enter', replacedNode: zeroAddress, expiredAt: 1n } as const;
    const exit = { kind: 'exit', expiredAt: 1n } as const;
    expect(foreseeNode(fresh, [enter], now)).toMatchObject({ active: true, registered: true });
    expect(foreseeNode(fresh, [enter, exit], now)).toMatchObject({ active: false, registered: true });
    expect(foreseeNode(fresh, [exit, enter], now)).toMatchObject({ active: true });
    expect(foreseeNode(fresh, [{ kind: 'commission', commissionRate: 300, expiredAt: 1n }, { kind: 'claimer', claimer: signer, expiredAt: 1n }], now))
      .toMatchObject({ commissionRate: 300, lastModifyAt: now, claimer: signer, registered: false });
    expect(foreseeNode(fresh, [{ kind: 'report', attestationId: `0x${'00'.repeat(32)}`, result: 0, index: 0 }], now)).toEqual({ ...fresh, registered: false });
  });
});

describe('a commission', () => {
  it.each<[number, Partial<FutureNode>, string]>([
    [500, {}, 'accepted'], [501, {}, 'commission-step-too-large'], [10_000, { commissionRate: 9_500 }, 'accepted'], [10_001, {}, 'commission-too-large'],
    [4_294_967_295, {}, 'commission-too-large'], [0, { commissionRate: 10_000 }, 'accepted'], [100, { registered: false }, 'signer-unregistered'],
    [100, { lastModifyAt: now - 604_799 }, 'commission-too-soon'], [100, { lastModifyAt: now - 604_800 }, 'accepted'],
  ])('of %i for a node with %j is %s', (rate, changes, code) => {
    expect(codeOf(() => judgeCommission(signer, rate, { ...registered, ...changes }, now, usualRules))).toBe(code);
  });

  it('beside a pending change is refused because of that change, which has not happened yet', () => {
    const pending = foreseeNode({ ...fresh, id: 4 }, [{ kind: 'commission', commissionRate: 300, expiredAt: 1n }], now);
    expect(() => judgeCommission(signer, 100, pending, now, usualRules)).toThrow(
      'An earlier message of this signer is about to change the commission to 3 %, and it can be changed once per 7 d. If that message fails, send this message again; otherwise the next change is possible in about 7 d.');
    expect(() => judgeCommission(signer, 100, { ...registered, lastModifyAt: now }, now, usualRules)).toThrow('The commission was changed 0 s ago');
  });

  it('that is so already needs no transaction, also shortly after a change', () => {
    const node = { ...registered, commissionRate: 300, lastModifyAt: now };
    expect(codeOf(() => judgeCommission(signer, 300, node, now, usualRules))).toBe('accepted');
    expect(explainUnchanged(node, { kind: 'commission', commissionRate: 300, expiredAt: 0n })).toContain('already is 3 %');
    expect(explainUnchanged(node, { kind: 'commission', commissionRate: 301, expiredAt: 0n })).toBeNull();
  });

  it('is told in percent, exactly', () => {
    expect([0, 5, 50, 100, 115, 500, 10_000, 10_001].map(describeCommission)).toEqual(['0 %', '0.05 %', '0.5 %', '1 %', '1.15 %', '5 %', '100 %', '100.01 %']);
  });
});

describe('a claimer', () => {
  it('that is so already needs no transaction', () => {
    const sentence = (claimer: Hex): string | null => explainUnchanged({ ...registered, claimer: signer }, { kind: 'claimer', claimer, expiredAt: 0n });
    expect(sentence(signer)).toContain('already');
    expect(sentence(zeroAddress)).toBeNull();
  });
});

describe('the work of one signer', () => {
  it('runs one after the other, that of several beside each other, and a failure stops nobody', async () => {
    const turns = new SignerTurns();
    const order: string[] = [];
    const work = (name: string, waits: number, fails = false) => async (): Promise<string> => {
      order.push(`${name} begins`);
      for (let turn = 0; turn < waits; turn++) await new Promise(setImmediate);
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
    const results = await Promise.allSettled([
      turns.take('a', work('a1', 3, true)), turns.take('a', work('a2', 1)), turns.take('b', work('b1', 1)), turns.take('a', work('a3', 0)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    expect(order.filter((line) => line.startsWith('a'))).toEqual(['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends', 'a3 begins', 'a3 ends']);
    expect(order.indexOf('b1 begins')).toBeLessThan(order.indexOf('a1 ends'));
  });
});
