import { describe, expect, it } from 'vitest';
import type { Timers } from '@vouch/platform/process/doors';
import { UploadGate } from './uploadGate.ts';

/** The signal of a sender who stays. */
function staying(): AbortSignal {
  return new AbortController().signal;
}

/** Work that runs until told. */
function task(): { work: () => Promise<void>; finish: () => void; started: () => boolean } {
  let finish: () => void = () => {};
  let started = false;
  const ended = new Promise<void>((resolve) => { finish = resolve; });
  return { work: () => { started = true; return ended; }, finish, started: () => started };
}

/** Sleeps that end when told, or when their signal aborts. */
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
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

describe('the gate of uploads', () => {
  it('lets as many in as it has places, the others in their order', async () => {
    const gate = new UploadGate(2, sleepers().timers);
    const tasks = [task(), task(), task(), task()];
    const passes = tasks.map(({ work }) => gate.pass(work, staying()));
    const started = (): boolean[] => tasks.map((each) => each.started());
    await settle();
    expect(started()).toEqual([true, true, false, false]);
    tasks[1]?.finish();
    await settle();
    expect(started()).toEqual([true, true, true, false]);
    for (const each of tasks) each.finish();
    await Promise.all(passes);
    const last = task();
    void gate.pass(last.work, staying());
    await settle();
    expect(last.started()).toBe(true);
  });

  it('passes the place on when the work fails, and when somebody who waits is gone', async () => {
    const gate = new UploadGate(1, sleepers().timers);
    const gone = new AbortController();
    const [first, last] = [task(), task()];
    const failing = gate.pass(() => first.work().then(() => Promise.reject(new Error('failed'))), staying());
    const waiting = gate.pass(() => Promise.resolve(), gone.signal);
    const next = gate.pass(last.work, staying());
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    first.finish();
    await expect(failing).rejects.toThrow('failed');
    await settle();
    expect(last.started()).toBe(true);
    last.finish();
    await next;
  });

  it('refuses who has waited ten minutes, in a sentence, and gives the next place to the next one', async () => {
    const { timers, wake, asleep } = sleepers();
    const gate = new UploadGate(1, timers);
    const [first, never, last] = [task(), task(), task()];
    const holding = gate.pass(first.work, staying());
    const late = gate.pass(never.work, staying());
    const refused = expect(late).rejects.toMatchObject({
      code: 'overloaded', headers: { 'retry-after': '30' }, detail: expect.stringContaining('10 minutes passed') as string,
    });
    wake();
    await refused;
    const next = gate.pass(last.work, staying());
    first.finish();
    await holding;
    await settle();
    expect([never.started(), last.started(), asleep()]).toEqual([false, true, 0]);
    last.finish();
    await next;
  });

  it('refuses more than 100 who wait, and says when to come again', async () => {
    const gate = new UploadGate(1, sleepers().timers);
    const first = task();
    const passes = [gate.pass(first.work, staying())];
    for (let waiting = 0; waiting < 100; waiting++) passes.push(gate.pass(() => Promise.resolve(), staying()));
    await expect(gate.pass(() => Promise.resolve(), staying())).rejects.toMatchObject({ code: 'overloaded', headers: { 'retry-after': '30' } });
    first.finish();
    await Promise.all(passes);
  });
});
