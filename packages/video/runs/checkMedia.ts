import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { MediaClient } from '../download/mediaClient.ts';
import { uploadIdOf } from '../uploads/uploadUrl.ts';

const webAddress = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Rejects a `media_url` that the server must not fetch. For a path of a local file, the error names the command that
 * summarizes local files.
 * @throws Problem `address-refused`
 */
export function checkMedia(url: string, client: Pick<MediaClient, 'check'>): void {
  if (uploadIdOf(url) !== null) return;
  if (webAddress.test(url) && !/^file:/i.test(url)) return client.check(url);
  throw platformErrors.problem(
    'address-refused',
    'The value is not a complete URL such as https://example.org/film.mp4, and the HTTP interface does not read local files. ' +
      'For a local file, run `vouch summarize <file>`, upload the file with POST /v1/uploads, or send the URL at which a web server serves the file.',
  );
}
