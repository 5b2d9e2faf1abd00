import { basename } from 'node:path';
import { defineErrors } from '@vouch/platform/errors/problem';

/** Error codes for files that the engine wrote but cannot read. */
export const modelFileErrors = defineErrors({
  'model-file-unreadable': {
    status: 503,
    title: 'A model file cannot be read',
    cause: 'The file is truncated or damaged, has another format, or was written by a newer version of Vouch.',
    remedy: 'If the file was written by a newer version of Vouch, run this version or a newer one. Otherwise train the model again, or restore the file from a backup.',
  },
});

/** A problem that names the file without its folder, and describes what is wrong with the file. */
export function unreadable(path: string, what: string, cause?: unknown): Error {
  const detail = `The file ${basename(path)} cannot be read as a model: ${what}. Train the model again.`;
  return modelFileErrors.problem('model-file-unreadable', detail, { cause });
}

/** A problem that names a file of a newer version of Vouch, and the newest version of such files that this program reads. */
export function tooNew(path: string, found: number, newest: number): Error {
  const detail = `The file ${basename(path)} was written by a newer version of Vouch: it has version ${found} of the format, and this program reads versions up to ${newest}. ` +
    'Run the version of Vouch that wrote the file, or a newer one; to stay on this version, train the model again.';
  return modelFileErrors.problem('model-file-unreadable', detail);
}
