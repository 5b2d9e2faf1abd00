import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import type { Platform } from '@vouch/platform/product/product';
import { downloadMedia } from '../download/downloadMedia.ts';
import type { Warning } from '../engine/analysis/analysis.ts';

/** Size limit, bytes; the subtitles of a film have 100 to 300 KB. */
const maxBytes = 4_194_304;

/**
 * Downloads subtitles and stores them as a blob. If the download fails, returns a warning, and the run continues without
 * subtitles.
 */
export async function fetchSubtitles(
  platform: Platform, url: string, scratch: string, signal: AbortSignal,
): Promise<{ blob: string } | { warning: Warning }> {
  const folder = join(scratch, 'subtitles');
  await mkdir(folder, { recursive: true });
  try {
    const { path } = await downloadMedia(platform.outbound, platform, { url, folder, maxBytes, signal });
    return { blob: (await platform.blobs.putFile(path)).name };
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'storage-full') throw error;
    return { warning: { code: 'subtitles-unavailable', detail: `The preview was made without the subtitles of subtitles_url. ${error.detail}` } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
