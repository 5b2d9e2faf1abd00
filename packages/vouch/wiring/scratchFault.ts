import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { folderFault } from '@vouch/platform/database/dataFolder';
import { jobsFolder } from '@vouch/platform/jobs/attemptScratch';

/**
 * Returns the reason why uploads and jobs cannot write temporary files; null if they can, or if the folders do not exist yet. A
 * typical reason: an earlier start by another user, such as root, created folders in the data folder.
 * @param scratch path of the folder `scratch` in the data folder
 */
export async function findScratchFault(scratch: string): Promise<Error | null> {
  for (const folder of [scratch, join(scratch, jobsFolder)]) {
    const error = await access(folder, constants.W_OK | constants.X_OK).then(() => null, (failure: NodeJS.ErrnoException) => failure);
    if (error !== null && error.code !== 'ENOENT') return folderFault(folder, error);
  }
  return null;
}
