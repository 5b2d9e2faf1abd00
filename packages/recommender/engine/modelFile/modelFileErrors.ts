import { basename } from 'node:path';
import { defineErrors } from '@vouch/platform/errors/problem';

/** Error codes for files that the engine wrote but cannot read. */
export const modelFileErrors = defineErrors({
  'model-file-unreadable': {
    status: 503,
    title: 'A model file cannot be read',
    cause: 'The file is truncated or damaged, has another format, or was written by a newer version of Vouch.',
    remedy: 'Train the model again, restore the file from a backup, or run the version that wrote the file or a newer one.',
  },
});

/** A problem that names the file without its folder, and describes what is wrong with the file. */
export function unreadable(path: string, what: string, cause?: unknown): Error {
  const detail = `The file ${basename(path)} cannot be read as a model: ${what}. Train the model again.`;
  return modelFileErrors.problem('model-file-unreadable', detail, { cause });
}
