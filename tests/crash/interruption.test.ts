import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { processesIn, untilGone } from './harness/processTree.ts';

const fixture = join(import.meta.dirname, 'harness/interrupted.fixture.ts');

interface Runner {
  child: ChildProcess;
  folder: string;
}

async function startRunner(...words: string[]): Promise<Runner> {
  const child = spawn(process.execPath, ['--import', 'tsx', fixture, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout, 'data') as [Buffer];
  const { folder } = JSON.parse(line.toString()) as { folder: string };
  await expect.poll(() => processesIn(folder).length).toBe(2);
  return { child, folder };
}

it.runIf(process.platform === 'linux').each([['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]] as const)('after %s, a runner of tests ends what it started and removes its folders', async (signal, code) => {
  const { child, folder } = await startRunner();
  const started = processesIn(folder);
  child.kill(signal);
  // As npm does after Ctrl-C.
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([code, null]);
  await untilGone(started);
  expect(existsSync(folder)).toBe(false);
});

it.runIf(process.platform === 'linux')('a later signal ends a runner whose clean-up hangs', async () => {
  const { child, folder } = await startRunner('stuck');
  const started = processesIn(folder);
  const end = once(child, 'exit');
  child.kill('SIGINT');
  await untilGone(started);
  await expect.poll(() => {
    child.kill('SIGINT');
    return child.exitCode;
  }).toBe(130);
  await end;
  await rm(folder, { recursive: true });
});
