import { rm } from 'node:fs/promises';
import type { JobContext } from '@vouch/platform/jobs/job';
import type { Platform } from '@vouch/platform/product/product';
import { clientFor } from '../download/clientFor.ts';
import { downloadVideo, type VideoRequest } from '../download/downloadVideo.ts';
import type { MediaClient } from '../download/mediaClient.ts';
import type { Warning } from '../engine/analysis/analysis.ts';
import type { MediaInfo } from '../engine/media/mediaInfo.ts';
import type { VideoSettings } from '../config/videoSettings.ts';
import { assembleUpload } from '../uploads/assembleUpload.ts';
import { uploadIdOf } from '../uploads/uploadUrl.ts';
import { canSkipDownload, findReusable, refuseAnalysis } from './reuseCache.ts';
import type { Run, StoredAnalysis } from './runStore.ts';

/** Result of the stage `download`: the media as a blob, and the results of an earlier run of the same media. */
export interface FetchedMedia {
  blob: string;
  etag: string | null;
  /** Null if nothing can be reused. */
  reused: { runId: string; info: MediaInfo; analysis: StoredAnalysis | null } | null;
}

/** Facts about the media that one attempt knows in addition to its checkpoint. */
interface FetchedHere extends FetchedMedia {
  warnings: Warning[];
  /** The local file, if the blob store is remote; null otherwise. */
  path: string | null;
}

/**
 * Downloads the media of a run, or reuses the media of the run in `cache_id`, and selects the results that can be reused.
 * @param join joins the pictures and the sound of a playlist
 */
export async function fetchMedia(
  platform: Platform, settings: VideoSettings, context: JobContext, run: Run, join: VideoRequest['join'],
): Promise<FetchedHere> {
  const { database, blobs } = platform;
  const { signal } = context;
  const found = run.cacheId === null ? null : await findReusable(database, context.job.organizationId, run.cacheId);
  const kept = found !== null && 'kept' in found ? found.kept : null;
  const client = clientFor(run.mediaUrl, platform, settings);
  const skipped = kept !== null && (await canSkipDownload(kept, run.mediaUrl, blobs, client, signal));
  const { blob, etag, path, warnings } = skipped
    ? { blob: kept.mediaBlob, etag: kept.mediaEtag, path: null, warnings: [] }
    : await download(platform, settings, context, { url: run.mediaUrl, client, join });
  if (kept === null) return { blob, etag, path, reused: null, warnings: [...warnings, ...(found !== null && 'warning' in found ? [found.warning] : [])] };
  const refusal = refuseAnalysis(kept, blob, run.options.analysis ?? 'auto');
  const { runId, info, analysis } = kept;
  const reused = kept.mediaBlob === blob ? { runId, info, analysis: refusal === null ? analysis : null } : null;
  return { blob, etag, path, reused, warnings: refusal === null ? warnings : [...warnings, refusal] };
}

async function download(
  platform: Platform, settings: VideoSettings, context: JobContext, { url, client, join }: { url: string; client: MediaClient; join: VideoRequest['join'] },
): Promise<{ blob: string; etag: string | null; path: string | null; warnings: Warning[] }> {
  const uploadId = uploadIdOf(url);
  if (uploadId !== null) return { blob: await assembleUpload(platform, context.job.organizationId, uploadId, context.signal), etag: null, path: null, warnings: [] };
  const { path, etag, warnings } = await downloadVideo(client, platform, {
    url,
    folder: context.scratch,
    maxBytes: settings.video_max_bytes,
    maxSeconds: settings.video_max_seconds,
    join,
    signal: context.signal,
    progress: (fraction) => {
      if (!context.signal.aborted) context.progress(fraction);
    },
  });
  const { name } = await platform.blobs.putFile(path);
  if (platform.blobs.kind === 's3') return { blob: name, etag, path, warnings };
  // The blob is also a local file, so the download would be a second copy on the same disk.
  await rm(path);
  return { blob: name, etag, path: null, warnings };
}
