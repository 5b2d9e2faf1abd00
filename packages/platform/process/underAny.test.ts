import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { underAny } from './underAny.ts';

const aborted = (signal: AbortSignal): Promise<unknown> => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

it('aborts the work with the first of the signals, and with its reason', async () => {
  for (const index of [0, 1]) {
    const controllers = [new AbortController(), new AbortController()] as const;
    const working = underAny(controllers.map(({ signal }) => signal), aborted);
    controllers[index]!.abort(`reason ${index}`);
    controllers[1 - index]!.abort('later');
    expect(await working).toBe(`reason ${index}`);
  }
});

it('tells the work of a signal that aborted before', async () => {
  const read = async ({ aborted: isAborted, reason }: AbortSignal): Promise<unknown> => [isAborted, reason];
  expect(await underAny([new AbortController().signal, AbortSignal.abort('before')], read)).toEqual([true, 'before']);
});

it('leaves nothing at the signals, also of work that fails', async () => {
  const lasting = new AbortController().signal;
  const bare = Object.getOwnPropertySymbols(lasting).length;
  for (const work of [async () => 1, async () => { throw new Error('fails'); }]) {
    await underAny([lasting, new AbortController().signal], work).catch(() => {});
    expect(getEventListeners(lasting, 'abort')).toEqual([]);
  }
  // A set of dependent signals, as `AbortSignal.any` adds.
  expect(Object.getOwnPropertySymbols(lasting).length).toBe(bare);
});
