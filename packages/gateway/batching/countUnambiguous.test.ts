import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { array, assert, boolean, constantFrom, integer, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import { countUnambiguous } from './countUnambiguous.ts';

const node = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;
const exit = (from: number): { signer: Hex; operation: Operation } => ({ signer: node(from), operation: { kind: 'exit', expiredAt: 9n } });
const enter = (from: number, replaced = 0): { signer: Hex; operation: Operation } => ({ signer: node(from), operation: { kind: 'enter', replacedNode: node(replaced), expiredAt: 9n } });

it('separates an exit from an entry that can replace the node, in either order, and nothing else', () => {
  expect(countUnambiguous([enter(2, 1), enter(3), exit(1), exit(2)])).toBe(2);
  expect(countUnambiguous([exit(1), enter(2, 1)])).toBe(1);
  expect(countUnambiguous([exit(1), enter(1), exit(2), enter(2), enter(3, 4), enter(5, 4)])).toBe(6);
  expect(countUnambiguous([])).toBe(0);
});

// Whoever alternates exits and entries of two nodes makes batches shorter. Budgets bound this: each of these messages needs gas of its signer.
it('an exit or an entry adds at most two transactions, and other messages none', () => {
  const transactions = (queue: readonly ReturnType<typeof exit>[]): number => {
    let [count, rest] = [0, queue];
    for (; rest.length > 0; count += 1) rest = rest.slice(countUnambiguous(rest));
    return count;
  };
  const drawn = record({ kind: constantFrom('exit', 'enter', 'claimer'), from: integer({ min: 1, max: 4 }), replaced: integer({ min: 1, max: 4 }), isAttackers: boolean() });
  assert(property(array(drawn, { maxLength: 30 }), (messages) => {
    const queue = messages.map(({ kind, from, replaced, isAttackers }) => ({
      isAttackers, ...(kind === 'exit' ? exit(from) : kind === 'enter' ? enter(from, replaced) : { signer: node(from), operation: { kind: 'claimer' as const, claimer: node(9), expiredAt: 9n } }),
    }));
    const changes = queue.filter(({ isAttackers, operation }) => isAttackers && operation.kind !== 'claimer');
    const others = queue.filter(({ isAttackers }) => !isAttackers);
    expect(transactions(queue)).toBeLessThanOrEqual(Math.max(1, transactions(others)) + 2 * changes.length);
    const needed = queue.filter(({ operation }) => operation.kind !== 'claimer');
    if (needed.length > 0) expect(transactions(queue)).toBe(transactions(needed));
  }));
});
