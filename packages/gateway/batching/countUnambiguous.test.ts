import type { Hex, Operation } from '@vouch/chain/messages/operation';
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
