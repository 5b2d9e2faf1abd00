import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realDoors } from '@vouch/platform/process/doors';
import { afterAll, expect, it } from 'vitest';
import { writeKeystore } from '../../../packages/verifier/keys/writeKeystore.ts';
import { mountSmallDisk, whyNoSmallDisk, type SmallDisk } from '../../scale/smallDisk.ts';

const privateKey = `0x${'1a'.repeat(32)}` as const;
const missing = await whyNoSmallDisk();
let disk: SmallDisk | null = null;
afterAll(() => disk?.remove());

it.skipIf(missing !== null)(`a full disk is named, leaves no part of a keystore, and the next try writes the whole one${missing === null ? '' : ` (${missing})`}`, async () => {
  disk = await mountSmallDisk(1);
  const path = join(disk.folder, 'node.json');
  await disk.fill(0);
  await expect(writeKeystore(path, privateKey, 'a password', realDoors.random)).rejects.toThrow(/its disk is full \(ENOSPC\); free space first/);
  expect(existsSync(path)).toBe(false);
  await disk.empty();
  expect(await writeKeystore(path, privateKey, 'a password', realDoors.random)).toMatch(/^0x[0-9a-f]{40}$/);
});
