import { describe, expect, it } from 'vitest';
import { readAhead } from './readAhead.ts';

const never = new AbortController().signal;

/** A source of numbered items that yields each item after the given number of turns of the event loop. */
function source(name: string, count: number, turns: number, log: string[] = []): (signal: AbortSignal) => AsyncGenerator<string> {
  return async function* (signal) {
    log.push(`begin ${name}`);
    try {
      for (let item = 0; item < count; item += 1) {
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
        signal.throwIfAborted();
        yield `${name}${item}`;
      }
    } finally {
      log.push(`end ${name}`);
    }
  };
}

async function gather(items: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('reading ahead', () => {
  it.each([1, 2, 3, 9])('keeps the order of the sources, whichever is fast (%i lanes)', async (lanes) => {
    const sources = [source('a', 3, 5), source('b', 4, 0), source('c', 0, 0), source('d', 2, 3), source('e', 5, 1)];
    expect(await gather(readAhead({ sources, lanes, waiting: 100, signal: never }))).toEqual([
      'a0', 'a1', 'a2', 'b0', 'b1', 'b2', 'b3', 'd0', 'd1', 'e0', 'e1', 'e2', 'e3', 'e4',
    ]);
    expect(await gather(readAhead({ sources: [], lanes, waiting: 0, signal: never }))).toEqual([]);
  });

  it('begins no more sources than it has lanes, and no further one while much waits', async () => {
    const log: string[] = [];
    const sources = [source('a', 3, 50, log), source('b', 8, 0, log), source('c', 1, 0, log), source('d', 1, 0, log)];
    const items = readAhead({ sources, lanes: 2, waiting: 5, signal: never });
    expect((await items.next()).value).toBe('a0');
    expect(log).toEqual(['begin a', 'begin b', 'end b']);
    expect((await gather(items)).at(-1)).toBe('d0');
    expect(log.slice(3, 5)).toEqual(['end a', 'begin c']);
  });

  it('ends with the error of any source, and leaves none running', async () => {
    const log: string[] = [];
    const broken = async function* (): AsyncGenerator<string> {
      yield 'x';
      throw new Error('broken');
    };
    await expect(gather(readAhead({ sources: [source('a', 1e6, 1, log), broken, source('c', 1, 0, log)], lanes: 2, waiting: 9, signal: never }))).rejects.toThrow('broken');
    expect(log).toEqual(['begin a', 'end a']);
  });

  it('leaves none running where the reader goes away or the signal aborts', async () => {
    const log: string[] = [];
    const sources = [source('a', 1e6, 1, log), source('b', 1e6, 1, log)];
    for await (const item of readAhead({ sources, lanes: 2, waiting: 9, signal: never })) if (item === 'a3') break;
    expect(log.toSorted()).toEqual(['begin a', 'begin b', 'end a', 'end b']);
    const abort = new AbortController();
    const items = readAhead({ sources, lanes: 2, waiting: 9, signal: abort.signal });
    await items.next();
    abort.abort(new Error('no more'));
    await expect(gather(items)).rejects.toThrow('no more');
    expect(log.length).toBe(8);
  });
});
