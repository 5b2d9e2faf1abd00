import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { sharedFolder, testFolder } from '../testing/runVerifier.ts';
import { FolderUnusable, lockFolder, nodeProcess, takeFolder } from './lockFolder.ts';
import { lockFile } from './nodeState.ts';

const program = join(sharedFolder(), 'lockFolder.mjs');
const children: ChildProcess[] = [];

// Bundled once: loading TypeScript in each process would take a second.
beforeAll(async () => {
  await build({ entryPoints: [fileURLToPath(new URL('../testing/lockFolderProcess.ts', import.meta.url))], outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' });
  await stop();
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Starter {
  child: ChildProcess;
  ask(line: string): Promise<string>;
}

/** Starts a process that locks folders on command, so that several processes can try in the same millisecond. */
async function openStarter(): Promise<Starter> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  await next();
  return { child, ask: (line) => { child.stdin!.write(`${line}\n`); return next(); } };
}

describe('a folder for which several nodes start at once', () => {
  it.each<[number, number]>(exhaustive ? [[2, 20], [8, 12]] : [[2, 4], [8, 3]])('is held by exactly one of %i, each of %i times, after a node that was killed', async (count, rounds) => {
    const starters = await Promise.all(Array.from({ length: count }, openStarter));
    const folder = testFolder();
    const holders: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Left by a killed node; this process id is higher than any real one.
      writeFileSync(join(folder, lockFile), '4194399\n');
      const answers = await Promise.all(starters.map(({ ask }) => ask(`take ${folder}`)));
      expect(answers.filter((answer) => answer !== 'held' && answer !== 'busy')).toEqual([]);
      holders.push(answers.filter((answer) => answer === 'held').length);
      await Promise.all(starters.map(({ ask }) => ask('give-back')));
    }
    const wrong = holders.filter((held) => held !== 1);
    expect(wrong, `${wrong.length} of ${rounds} rounds`).toEqual([]);
  });
});

describe('the lock of a folder', () => {
  it('keeps a second node out, of this process or another, and names the holder', async () => {
    const folder = testFolder();
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(`A node of this process already uses ${folder}.`);
    expect(await nodeProcess(folder)).toBe(process.pid);
    const other = await openStarter();
    expect(await other.ask(`take ${folder}`)).toBe('busy');
    await unlock();
    expect(await nodeProcess(folder)).toBe(null);
    expect(await other.ask(`take ${folder}`)).toBe('held');
    await expect(lockFolder(folder)).rejects.toThrow(`Another node (process ${other.child.pid}) uses ${folder}`);
  });

  it('is free once its process was killed, whatever the file says', async () => {
    const folder = testFolder();
    const other = await openStarter();
    expect(await other.ask(`take ${folder}`)).toBe('held');
    other.child.kill('SIGKILL');
    await once(other.child, 'exit');
    expect(await nodeProcess(folder)).toBe(null);
    // A running process can have the id of an ended one: in containers, every start has process id 1.
    for (const left of [`${process.pid}\n`, `${process.ppid}\n`, '', 'x'.repeat(100)]) {
      writeFileSync(join(folder, lockFile), left);
      expect(await nodeProcess(folder)).toBe(null);
      await (await lockFolder(folder))();
    }
  });

  it('stays with its holder while others look who that is', async () => {
    const folder = testFolder();
    for (let round = 0; round < 10; round += 1) {
      const looking = Array.from({ length: 4 }, () => nodeProcess(folder));
      await (await lockFolder(folder))();
      await Promise.all(looking);
    }
  });

  it('needs a folder that can be written', async () => {
    const folder = testFolder();
    mkdirSync(join(folder, lockFile));
    await expect(takeFolder(folder)).rejects.toThrow(FolderUnusable);
    await expect(takeFolder('/dev/null/node')).rejects.toThrow(FolderUnusable);
    expect(await nodeProcess(join(folder, 'none'))).toBe(null);
  });
});
