import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { isLocked, LockUnavailable, takeLock, tryLock } from './fileLock.ts';
import { findProgram } from './spawnGroup.ts';

let folder = '';
let path = '';
const searched = process.env['PATH'] ?? '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-lock-'));
  path = join(folder, 'lock');
});
afterEach(async () => {
  process.env['PATH'] = searched;
  await rm(folder, { recursive: true, force: true });
});

/** Sets PATH to a folder with links to these programs only. */
async function onlyPrograms(...names: string[]): Promise<void> {
  for (const name of names) await symlink(findProgram(name) ?? `/nowhere/${name}`, join(folder, name));
  process.env['PATH'] = folder;
}

async function excludes(): Promise<void> {
  const lock = await takeLock(path);
  expect(lock).not.toBe(null);
  expect(await takeLock(path)).toBe(null);
  expect(await tryLock(path, 'shared')).toBe(null);
  expect(await isLocked(path)).toBe(true);
  await lock?.release();
  expect(await isLocked(path)).toBe(false);
  const [one, other] = [await tryLock(path, 'shared', 'existing'), await tryLock(path, 'shared')];
  expect([one === null, other === null]).toEqual([false, false]);
  expect(await tryLock(path, 'exclusive')).toBe(null);
  await one?.release();
  await other?.release();
}

describe('a lock on a file', () => {
  it('keeps everybody else out, or only those who want it alone', () => excludes());

  it.runIf(findProgram('perl') !== null)('does so with perl where there is no flock', async () => {
    await onlyPrograms('perl');
    await excludes();
  });

  it('is refused in a sentence where neither is there, and leaves no descriptor open', async () => {
    await onlyPrograms();
    await expect(takeLock(path)).rejects.toThrow(LockUnavailable);
    await expect(takeLock(path)).rejects.toThrow(/flock .*perl/);
  });

  it('stays in the way of nobody who looks, and finds the holder where many look', async () => {
    await writeFile(path, '');
    for (let round = 0; round < 10; round += 1) {
      const looks = Array.from({ length: 4 }, () => isLocked(path));
      const lock = await takeLock(path);
      expect(lock).not.toBe(null);
      await Promise.all(looks);
      await lock?.release();
    }
  });

  it.runIf(findProgram('flock') !== null)('is one on the file that has the name, also where that was removed meanwhile', async () => {
    const flock = `#!/bin/sh\n[ -e ${folder}/done ] || { touch ${folder}/done; rm ${path}; }\nPATH=${searched} exec flock "$@"\n`;
    await writeFile(join(folder, 'flock'), flock, { mode: 0o755 });
    process.env['PATH'] = `${folder}:${searched}`;
    const lock = await tryLock(path, 'exclusive');
    expect(existsSync(join(folder, 'done'))).toBe(true);
    expect(await isLocked(path)).toBe(true);
    await lock?.release();
  });

  it('of a file that is absent is nobody\'s, and looking does not make it', async () => {
    expect(await isLocked(path)).toBe(false);
    expect(existsSync(path)).toBe(false);
    await expect(tryLock(path, 'exclusive', 'existing')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('lasts as long as the process where the caller keeps no reference to the lock', () => {
    const module = fileURLToPath(new URL('./fileLock.ts', import.meta.url));
    const program = `const { isLocked, takeLock } = await import(${JSON.stringify(module)});
      await takeLock(${JSON.stringify(path)});
      for (let round = 0; round < 5; round += 1) { gc(); await new Promise((resolve) => setTimeout(resolve, 20)); }
      console.log(await isLocked(${JSON.stringify(path)}));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', '--input-type=module', '-e', program], { encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: 'true\n', stderr: '' });
  });

  it('is made for this user alone', async () => {
    const lock = await takeLock(path);
    const { mode } = await lock!.handle.stat();
    expect(mode & 0o777).toBe(0o600);
    await lock?.release();
  });
});

/** Runs a function of fileLock.ts as another user and returns its result. */
function asOther(what: 'isLocked' | 'takeLock'): string {
  const module = fileURLToPath(new URL('./fileLock.ts', import.meta.url));
  const program = `process.setgid(54321); process.setuid(54321);
    const found = await import(${JSON.stringify(module)}).then((lock) => lock.${what}(${JSON.stringify(path)})).catch((error) => error.code);
    console.log(found === null ? 'null' : typeof found === 'object' ? 'lock' : String(found));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], { encoding: 'utf8' });
  return stdout.trim() || stderr;
}

describe.runIf(process.getuid?.() === 0)('a lock file of another user', () => {
  exhaustiveTest('that may be read tells whether it is locked, and cannot be taken', async () => {
    await chmod(folder, 0o755);
    const lock = await takeLock(path);
    expect([asOther('isLocked'), asOther('takeLock')]).toEqual(['EACCES', 'EACCES']);
    await chmod(path, 0o644);
    expect([asOther('isLocked'), asOther('takeLock')]).toEqual(['true', 'EACCES']);
    await lock?.release();
    expect([asOther('isLocked'), asOther('takeLock')]).toEqual(['false', 'EACCES']);
    expect(await readFile(path, 'utf8')).toBe('');
  });
});
