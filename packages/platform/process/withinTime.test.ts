import { expect, test } from 'vitest';
import { systemInterfaces } from './systemInterfaces.ts';
import { withinTime } from './withinTime.ts';

const { timers } = systemInterfaces;
const fault = (): Error => new Error('late');
const never = (): Promise<never> => new Promise(() => {});

test('gives the result, or the error, of a call that ends in time', async () => {
  expect(await withinTime({ timeoutMs: 60_000, timers, fault }, async () => 'answer')).toBe('answer');
  await expect(withinTime({ timeoutMs: 60_000, timers, fault }, async () => { throw new Error('refused'); })).rejects.toThrow('refused');
});

test('ends at the limit, even a call that ignores its signal, and aborts the signal', async () => {
  let seen: AbortSignal | undefined;
  await expect(withinTime({ timeoutMs: 1, timers, fault }, (signal) => {
    seen = signal;
    return never();
  })).rejects.toThrow('late');
  expect(seen?.reason).toEqual(new Error('late'));
});

test('ends with the reason of the caller, before and during the call', async () => {
  const stop = new AbortController();
  const waiting = withinTime({ timeoutMs: 60_000, timers, fault, signal: stop.signal }, never);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await expect(withinTime({ timeoutMs: 60_000, timers, fault, signal: stop.signal }, async () => 'answer')).rejects.toThrow('stopped');
});
