import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vouchProgram } from '../../bench/harness/serveVouch.ts';
import { makePlace, removePlace, runVouch } from './harness/place.ts';
import { startService, type Service } from './harness/service.ts';
import { placeEnvironment, type VouchPlace } from './harness/vouchSubjects.ts';

const nobody = 65_534;
const asRoot = process.getuid?.() === 0;

let place: VouchPlace;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => removePlace(place));

/** Runs `vouch serve` as an ordinary user, because root can write anywhere. */
async function serveAsUser(folder: string): Promise<Service> {
  const words = [vouchProgram, 'serve'];
  const environment = { ...placeEnvironment({ ...place, folder }), PORT: '0' };
  if (!asRoot) return startService({ program: process.execPath, arguments: words, environment });
  const become = ['--reuid', String(nobody), '--regid', String(nobody), '--clear-groups'];
  return startService({ program: 'setpriv', arguments: [...become, process.execPath, ...words], environment });
}

describe.skipIf(process.platform !== 'linux')('vouch serve in a folder that an ordinary user cannot write (needs setpriv)', () => {
  it('says which folder cannot be made, and ends with 1', async () => {
    await chmod(place.folder, 0o555);
    const folder = join(place.folder, 'data');
    const service = await serveAsUser(folder);
    expect(await service.ended).toBe(1);
    expect(service.output()).toBe(
      `vouch: The data folder ${folder} cannot be written (EACCES): give this user write access, or choose another ` +
        'folder with VOUCH_DATA.\n');
  });

  it('says which folder cannot be written where it is there', async () => {
    if (asRoot) await chown(place.folder, nobody, nobody);
    await chmod(place.folder, 0o555);
    const service = await serveAsUser(place.folder);
    expect(await service.ended).toBe(1);
    expect(service.output()).toMatch(/^vouch: [^\n]+ cannot be (written|opened for writing) \(EACCES\): give this user write access, or choose another/);
    expect(service.output()).toContain(place.folder);
    expect(service.output().trim()).not.toContain('\n');
  });
});

describe('vouch serve with a wrong configuration', () => {
  it('names every fault at once with its value and its range, and ends with 2', async () => {
    const service = await runVouch(place, ['serve'], {
      PORT: '99999', VOUCH_ADMIN_KEY: 'short-secret', VOUCH_UPLOAD_MAX_ROWS: 'many', VOUCH_RATE_LIMITS: '5', DATABASE_URL: 'mysql://root:hidden@db',
    });
    expect(await service.ended).toBe(2);
    const text = service.output();
    for (const name of ['PORT', 'VOUCH_ADMIN_KEY', 'VOUCH_UPLOAD_MAX_ROWS', 'VOUCH_RATE_LIMITS', 'DATABASE_URL']) {
      expect(text).toMatch(new RegExp(`^.*\\b${name}\\b.*$`, 'm'));
    }
    expect(text).toContain('99999');
    expect(text).toContain('many');
    expect(text).toContain('VOUCH_RATE_LIMIT?');
    expect(text).not.toContain('short-secret');
    expect(text).not.toContain('hidden');
  });
});
