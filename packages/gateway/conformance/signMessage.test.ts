import { expect, it } from 'vitest';
import { signAgain, signMessage } from './signMessage.ts';

const domain = { name: 'test', version: '1', chainId: 31_337n };
const key = `0x${'11'.repeat(32)}` as const;
const exit = { kind: 'exit', expired_at: 1_760_000_000 } as const;

it('a second signature of a message differs from the first, and later signatures are deterministic again', async () => {
  const first = await signMessage(exit, domain, key);
  const second = await signAgain(exit, domain, key);
  expect({ ...second, r: first['r'], s: first['s'], v: first['v'] }).toEqual(first);
  expect(second['r']).not.toBe(first['r']);
  expect(await signMessage(exit, domain, key)).toEqual(first);
});
