import { expect, test } from 'vitest';
import { createKeyCache } from './keyCache.ts';

/** Clocks that agree. */
function systemAt(now: () => number): Parameters<typeof createKeyCache>[0] {
  return { clock: { now }, elapsedMs: now };
}

function counting(): { look: () => Promise<{ identity: string; expiresAt: null }>; count: () => number } {
  let lookups = 0;
  return { look: async () => ({ identity: `answer ${++lookups}`, expiresAt: null }), count: () => lookups };
}

test('an answer is used for its time and not longer, and one lookup serves all who ask at once', async () => {
  let now = 0;
  const cache = createKeyCache<string>(systemAt(() => now), 5_000, 10);
  const { look, count } = counting();
  await Promise.all([cache.get('a', look), cache.get('a', look), cache.get('a', look)]);
  expect(count()).toBe(1);
  now = 4_999;
  expect(await cache.get('a', look)).toBe('answer 1');
  now = 5_000;
  expect(await cache.get('a', look)).toBe('answer 2');
});

test('a clock that is set back does not prolong the use of an answer', async () => {
  const clock = { ms: 7_200_000, now: () => clock.ms };
  let passedMs = 0;
  const cache = createKeyCache<string>({ clock, elapsedMs: () => passedMs }, 5_000, 10);
  const { look } = counting();
  await cache.get('a', look);
  clock.ms -= 3_600_000;
  passedMs = 5_000;
  expect(cache.peek('a')).toBeUndefined();
  expect(await cache.get('a', look)).toBe('answer 2');
});

test('a key that expires while remembered is refused', async () => {
  let now = 0;
  const cache = createKeyCache<string>(systemAt(() => now), 5_000, 10);
  const look = async (): Promise<{ identity: string; expiresAt: number }> => ({ identity: 'a', expiresAt: 1_000 });
  expect(await cache.get('a', look)).toBe('a');
  now = 1_000;
  expect(await cache.get('a', look)).toBeNull();
});

test('a failed lookup is not remembered', async () => {
  const cache = createKeyCache<string>(systemAt(() => 0), 5_000, 10);
  await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await cache.get('a', async () => ({ identity: 'up', expiresAt: null }))).toBe('up');
});

test('an answer that was under way when the cache was cleared is not remembered', async () => {
  const cache = createKeyCache<string>(systemAt(() => 0), 5_000, 10);
  let answer: (value: { identity: string; expiresAt: null }) => void = () => {};
  const early = cache.get('a', () => new Promise((resolve) => { answer = resolve; }));
  cache.clear();
  answer({ identity: 'old', expiresAt: null });
  expect(await early).toBe('old');
  expect(await cache.get('a', async () => ({ identity: 'new', expiresAt: null }))).toBe('new');
});

test('it never holds more than its maximum; the oldest goes first', async () => {
  const cache = createKeyCache<string>(systemAt(() => 0), 5_000, 2);
  const { look, count } = counting();
  for (const hash of ['a', 'b', 'c', 'c', 'b']) await cache.get(hash, look);
  expect(count()).toBe(3);
  await cache.get('a', look);
  expect(count()).toBe(4);
});

test('a remembered answer is told at once; not before it is there, after its time, after a clear, or of a key that has expired', async () => {
  let now = 0;
  const cache = createKeyCache<string>(systemAt(() => now), 5_000, 10);
  const asking = cache.get('a', async () => ({ identity: 'answer', expiresAt: 4_000 }));
  expect(cache.peek('a')).toBeUndefined();
  await asking;
  expect(cache.peek('a')).toBe('answer');
  now = 4_000;
  expect(cache.peek('a')).toBeNull();
  now = 5_000;
  expect(cache.peek('a')).toBeUndefined();
  await cache.get('b', async () => ({ identity: null, expiresAt: null }));
  expect(cache.peek('b')).toBeNull();
  cache.clear();
  expect(cache.peek('b')).toBeUndefined();
});
