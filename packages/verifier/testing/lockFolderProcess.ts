// Test process: locks and unlocks folders on commands from standard input, one per line.
import { createInterface } from 'node:readline';
import { FolderBusy, lockFolder } from '../state/lockFolder.ts';

let unlock: (() => Promise<void>) | null = null;

async function take(folder: string): Promise<string> {
  try {
    unlock = await lockFolder(folder);
    return 'held';
  } catch (error) {
    return error instanceof FolderBusy ? 'busy' : `crash ${String(error)}`;
  }
}

async function giveBack(): Promise<string> {
  await unlock?.();
  unlock = null;
  return 'given back';
}

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [word = '', folder = ''] = line.split(' ');
  process.stdout.write(`${word === 'take' ? await take(folder) : await giveBack()}\n`);
}
