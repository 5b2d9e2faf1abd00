import type { Signer } from '@vouch/chain/signers/signer';
import { SignerFault } from '@vouch/chain/signers/signerFault';
import { expect, test } from 'vitest';
import { createLaneSigner } from './laneSigner.ts';

test('the pause after a failure ends, also if the clock is set back meanwhile', async () => {
  const clock = { ms: 7_200_000, now: () => clock.ms };
  let passedMs = 0;
  const fault = new SignerFault('unreachable', 'away');
  const away = { address: '0x', name: 'away', signTransaction: () => Promise.reject(fault) } as unknown as Signer;
  const signer = createLaneSigner(away, 1n, { clock, elapsedMs: () => passedMs } as { elapsedMs(): number });
  const transaction = { nonce: 0, payload: { to: '0x', calldata: '0x' }, gasLimit: 1n, fees: {} } as unknown as Parameters<typeof signer.sign>[0];
  await expect(signer.sign(transaction)).rejects.toBe(fault);
  clock.ms -= 3_600_000;
  passedMs = 999;
  expect(signer.resting()).toBe(fault);
  passedMs = 1_000;
  expect(signer.resting()).toBeNull();
});
