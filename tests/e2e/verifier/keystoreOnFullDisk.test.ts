import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { writeNewFile } from '../../../packages/verifier/keys/writeKeystore.ts';
import { mountSmallDisk, whyNoSmallDisk, type SmallDisk } from '../../scale/smallDisk.ts';

/** About as long as a keystore; the content does not matter for the disk. */
const text = JSON.stringify({ version: 3, crypto: 'a1'.repeat(250) });
const missing = await whyNoSmallDisk();
let disk: SmallDisk | null = null;
afterAll(() => disk?.remove());

it.skipIf(missing !== null)(`a full disk is named, leaves no part of a keystore, and the next try writes the whole one${missing === null ? '' : ` (${missing})`}`, async () => {
  disk = await mountSmallDisk(1);
  const path = join(disk.folder, 'node.json');
  await disk.fill(0);
  await expect(writeNewFile(path, text)).rejects.toThrow(/its disk is full \(ENOSPC\); free space first/);
  expect(existsSync(path)).toBe(false);
  await disk.empty();
  await writeNewFile(path, text);
  expect(readFileSync(path, 'utf8')).toBe(text);
});
