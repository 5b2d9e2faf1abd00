import { describe, expect, it } from 'vitest';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { UploadGate, type GateLimits, type Visit } from './uploadGate.ts';

/** The signal of a sender that does not disconnect. */
function staying(): AbortSignal {
  return new AbortController().signal;
}

/** Sleeps that end on `wake` or when their signal is aborted. */
function sleepers(): { timers: Timers; wake: () => void; asleep: () => number } {
  const sleeping = new Set<() => void>();
  const sleep = (_milliseconds: number, signal?: AbortSignal): Promise<void> => new Promise((resolve) => {
    const done = (): void => {
      sleeping.delete(done);
      resolve();
    };
    sleeping.add(done);
    signal?.addEventListener('abort', done, { once: true });
  });
  return { timers: { sleep }, wake: () => { for (const done of sleeping) done(); }, asleep: () => sleeping.size };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

/** A gate whose uploads stay until the test ends them; records the names of entered uploads in order. */
class Door {
  readonly clock = sleepers();
  readonly gate: UploadGate;
  readonly entered: string[] = [];
  private readonly ends = new Map<string, () => void>();
  private readonly passes = new Map<string, Promise<void>>();

  constructor(limits: Partial<GateLimits> = {}) {
    this.gate = new UploadGate({ places: 1, placesPerOwner: Infinity, placeForSmall: false, name: 'tests', ...limits }, this.clock.timers);
  }

  /** @param name organization and number, e.g. `a1` */
  come(name: string, size: Visit['size'] = 'large', signal = staying()): Promise<void> {
    const pass = this.gate.pass({ owner: name.slice(0, 1), size }, () => {
      this.entered.push(name);
      return new Promise<void>((end) => this.ends.set(name, end));
    }, signal);
    this.passes.set(name, pass);
    pass.catch(() => {});
    return pass;
  }

  async go(name: string): Promise<void> {
    this.ends.get(name)?.();
    await this.passes.get(name);
    await settle();
  }
}

describe('the gate of uploads', () => {
  it('lets as many in as it has places, the others of an organization in their order', async () => {
    const door = new Door({ places: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void door.come(name);
    await settle();
    expect(door.entered).toEqual(['a1', 'a2']);
    await door.go('a2');
    expect(door.entered).toEqual(['a1', 'a2', 'a3']);
    for (const name of ['a1', 'a3', 'a4']) await door.go(name);
    void door.come('a5');
    await settle();
    expect(door.entered.at(-1)).toBe('a5');
  });

  it('lets organizations in by turns, however many one of them waits with', async () => {
    const door = new Door();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void door.come(name);
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) await door.go(name);
    expect(door.entered).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('keeps places for other organizations', async () => {
    const door = new Door({ places: 3, placesPerOwner: 2 });
    for (const name of ['a1', 'a2', 'a3']) void door.come(name);
    await settle();
    expect(door.entered).toEqual(['a1', 'a2']);
    void door.come('b1');
    await settle();
    expect(door.entered).toEqual(['a1', 'a2', 'b1']);
    expect([door.gate.isWanted('a'), door.gate.isWanted('b')]).toEqual([true, true]);
    await door.go('a2');
    expect(door.entered.at(-1)).toBe('a3');
    expect(door.gate.isWanted('a')).toBe(false);
  });

  it('tells only those that their place is wanted whose end would let somebody in', async () => {
    const door = new Door({ places: 3, placesPerOwner: 1 });
    for (const name of ['a1', 'a2', 'b1']) void door.come(name);
    await settle();
    expect([door.gate.isWanted('a'), door.gate.isWanted('b')]).toEqual([true, false]);
  });

  it('lets small work past large work, and large work past small work that does not end', async () => {
    const door = new Door({ places: 2, placeForSmall: true });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void door.come(name, 'large');
    for (const name of ['b1', 'b2', 'b3', 'b4']) void door.come(name, 'small');
    await settle();
    expect(door.entered).toEqual(['a1', 'a2', 'b1']);
    await door.go('b1');
    await door.go('b2');
    expect(door.entered).toEqual(['a1', 'a2', 'b1', 'b2', 'b3']);
    await door.go('a1');
    expect(door.entered.at(-1)).toBe('a3');
    await door.go('a2');
    expect(door.entered.at(-1)).toBe('b4');
    await door.go('a3');
    expect(door.entered.at(-1)).toBe('a4');
  });

  it('passes the place on when the work fails, and when somebody who waits is gone', async () => {
    const door = new Door();
    const gone = new AbortController();
    const failing = door.gate.pass({ owner: 'a', size: 'large' }, () => Promise.reject(new Error('failed')), staying());
    const waiting = door.come('b1', 'large', gone.signal);
    void door.come('b2');
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(failing).rejects.toThrow('failed');
    await settle();
    expect(door.entered).toEqual(['b2']);
  });

  it('refuses who has waited ten minutes, in a sentence, and gives the next place to the next one', async () => {
    const door = new Door();
    void door.come('a1');
    await settle();
    const late = door.come('a2');
    const refused = expect(late).rejects.toMatchObject({
      code: 'overloaded', headers: { 'retry-after': '30' }, detail: expect.stringContaining('10 minutes passed') as string,
    });
    door.clock.wake();
    await refused;
    void door.come('a3');
    await door.go('a1');
    expect(door.entered).toEqual(['a1', 'a3']);
    expect(door.clock.asleep()).toBe(0);
  });

  it('refuses more than 100 of an organization who wait, says when to come again, and still lets others wait', async () => {
    const door = new Door();
    for (let visitor = 0; visitor < 101; visitor++) void door.come(`a${visitor}`);
    await expect(door.come('a101')).rejects.toMatchObject({ code: 'overloaded', headers: { 'retry-after': '30' } });
    void door.come('b1');
    await door.go('a0');
    await door.go('a1');
    expect(door.entered).toEqual(['a0', 'a1', 'b1']);
  });
});
