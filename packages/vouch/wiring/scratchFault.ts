import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { folderFault } from '@vouch/platform/database/dataFolder';
import { jobsFolder } from '@vouch/platform/jobs/attemptScratch';

/**
 * What keeps uploads and jobs from writing their temporary files, null where nothing does or the folders are yet to be made.
 * A start by another user, such as root, leaves folders of its own in the data folder.
 * @param scratch folder `scratch` of the data folder
 */
export async function findScratchFault(scratch: string): Promise<Error | null> {
  for (const folder of [scratch, join(scratch, jobsFolder)]) {
    const error = await access(folder, constants.W_OK | constants.X_OK).then(() => null, (failure: NodeJS.ErrnoException) => failure);
    if (error !== null && error.code !== 'ENOENT') return folderFault(folder, error);
  }
  return null;
}
