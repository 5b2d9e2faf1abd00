import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '@vouch/platform/testing/freePort';
import { isClean, killLoop, type CrashReport, type CrashSubject } from './killLoop.ts';
import { checkLedger, createLedger, type Ledger } from './ledger.ts';
import { waitUntil } from './place.ts';
import { startService } from './service.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-crash-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function subjectOf(manner: string): Promise<CrashSubject<string>> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const fixture = fileURLToPath(new URL('./ledgerService.fixture.mjs', import.meta.url));
  let next = 0;
  let acknowledgedSinceStart = 0;
  return {
    command: { program: process.execPath, arguments: [fixture, join(folder, 'effects'), String(port), manner] },
    async untilReady(signal) {
      while (!signal.aborted) {
        if (await fetch(url).then((answer) => answer.ok, () => false)) return;
        await sleep(10);
      }
    },
    async drive(ledger: Ledger<string>, _random, signal) {
      acknowledgedSinceStart = 0;
      while (!signal.aborted) {
        const id = `request-${next++}`;
        ledger.begin(id, 'whole');
        const answer = await fetch(`${url}/${id}`, { method: 'POST' }).catch(() => null);
        if (answer?.status === 201) {
          ledger.acknowledge(id);
          acknowledgedSinceStart++;
        }
        if (answer === null) await sleep(5);
      }
    },
    async fetchEffects() {
      const lines = (await (await fetch(url)).json()) as string[];
      return lines.map((line) => ({ id: line.split(' ')[0] as string, effect: line.split(' ')[1] as string }));
    },
    // On a busy machine no request may be answered within 50 ms, and a service that forgets then has nothing to forget.
    async kill(service) {
      await waitUntil('a request is acknowledged', async () => acknowledgedSinceStart > 0);
      await service.kill();
    },
    findFault: (_id, effect, intended) => (effect === intended ? null : `it is ${effect}`),
  };
}

/** Whether a process has ended. A killed process stays listed as a zombie if no parent reaps it. */
function isGone(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return /\) Z /.test(readFileSync(`/proc/${processId}/stat`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function run(manner: string): Promise<CrashReport> {
  return await killLoop(await subjectOf(manner), createLedger<string>(), {
    rounds: 3, seed: 11, killAfterMs: { from: 50, to: 250 }, timers: systemInterfaces.timers,
  });
}

describe('the kill harness', () => {
  it('finds nothing wrong with a service that writes before it acknowledges', async () => {
    const report = await run('careful');
    expect(report.kills).toBe(3);
    expect(report.acknowledged).toBeGreaterThan(0);
    expect(isClean(report)).toBe(true);
  });

  it('catches a service that forgets what it acknowledged, and stops there', async () => {
    const report = await run('forgetful');
    expect(report.lost.length).toBe(report.acknowledged);
    expect(report.lost.length).toBeGreaterThan(0);
    expect(report.kills).toBe(1);
  });

  it('catches a service that does things twice', async () => {
    expect((await run('doubling')).twice.length).toBeGreaterThan(0);
  });

  it('catches a service that does things by halves', async () => {
    expect((await run('halving')).faulty[0]).toContain('it is half');
  });

  it('says what a service wrote that does not come back', async () => {
    const subject = await subjectOf('careful');
    const broken = { ...subject, command: { program: process.execPath, arguments: ['-e', 'console.error("no disk"); process.exit(3)'] } };
    const options = { rounds: 1, seed: 1, killAfterMs: { from: 1, to: 2 }, timers: systemInterfaces.timers };
    await expect(killLoop(broken, createLedger<string>(), options)).rejects.toThrow(/ended by itself with 3/);
  });

  it('kills the children of the service with it', async () => {
    const script = "const c = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']); console.log(c.pid); setInterval(() => {}, 1000);";
    const service = await startService({ program: process.execPath, arguments: ['-e', script] });
    await waitUntil('the service has started its child', async () => service.output() !== '');
    const child = Number(service.output());
    expect(child).toBeGreaterThan(0);
    await service.kill();
    await waitUntil('the child is gone', async () => isGone(child));
  });
});

describe('the ledger', () => {
  it('takes either outcome of a request without an answer, but no refused or unasked effect', () => {
    const ledger = createLedger<number>();
    for (const id of ['open-there', 'open-absent', 'refused', 'kept']) ledger.begin(id, 5);
    ledger.refuse('refused');
    ledger.acknowledge('kept');
    const effects = ['open-there', 'refused', 'kept', 'stranger'].map((id) => ({ id, effect: 5 }));
    expect(checkLedger(ledger, effects, () => null)).toEqual({
      acknowledged: 1, present: 4, lost: [], twice: [], faulty: ['refused: it was refused, and is there'], unknown: ['stranger'],
    });
  });

  it('refuses an answer to a request that was never begun', () => {
    expect(() => createLedger<number>().acknowledge('nobody')).toThrow('never begun');
    expect(() => createLedger<number>().refuse('nobody')).toThrow('never begun');
  });
});
