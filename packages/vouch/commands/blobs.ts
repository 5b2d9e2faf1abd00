import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import { CommandFault } from '../terminal/commandFault.ts';

export function addBlobs(program: Command): void {
  const blobs = program.command('blobs').description('Show and change which database owns the blob store.');
  blobs
    .command('claim')
    .description('Make this database the owner of the blob store.')
    .option('--yes', 'change the owner; without this option, the command only prints what the store contains')
    .option('--json', 'print the contents of the store as JSON')
    .addHelpText(
      'after',
      `
A server deletes files that its database does not name, but only from a store that its database owns; an empty store gets its owner at
the first start. Claim a store after you restored or copied its database, or if vouch doctor reports another owner. A day later, the
server deletes the files that this database does not name. A server on the database of the former owner no longer starts with this
store: stop that server first.`,
    )
    .action(async (options: { yes?: boolean; json?: boolean }) => {
      const { countNamed } = await import('@vouch/platform/blobs/namedBlobs');
      const { claimStore, findStoreOwner } = await import('@vouch/platform/blobs/storeOwner');
      const { storeOf } = await import('../wiring/storeOwnership.ts');
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      await withPlatform(async (platform) => {
        const store = storeOf(platform);
        const found = { place: platform.blobs.place, ...(await findStoreOwner(store)), ...(await countNamed(store.blobs, store.database, store.references)) };
        if (options.yes === true && !(await claimStore(store))) {
          throw new CommandFault(exitCodes.busy, 'A server currently collects blobs, or a backup is running. Try again later.');
        }
        process.stdout.write(options.json === true ? `${JSON.stringify({ ...found, claimed: options.yes === true })}\n` : describe(found, options.yes === true));
      });
    });
}

interface Found {
  place: string;
  owner: 'this' | 'disputed' | 'another' | 'nobody';
  blobs: number;
  bytes: number;
  named: number;
}

const owners: Record<Found['owner'], string> = {
  this: 'this database',
  disputed: 'this database or another copy of it',
  another: 'another installation',
  nobody: 'none',
};

function describe({ place, owner, blobs, bytes, named }: Found, claimed: boolean): string {
  const content = `Store: ${place}\nOwner: ${owners[owner]}\nFiles: ${blobs} (${(bytes / 1e9).toFixed(1)} GB), ${blobs - named} of these without a reference in this database\n`;
  if (claimed) return `${content}This database now owns the store. Files without a reference are deleted in a day.\n`;
  return owner === 'this' ? content : `${content}Nothing was changed. With --yes, this database becomes the owner, and files without a reference are deleted in a day.\n`;
}
