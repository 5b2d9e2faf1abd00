import type { Blobs } from '@vouch/platform/blobs/blobs';
import type { Connection } from '@vouch/platform/database/database';
import type { MediaClient } from '../download/mediaClient.ts';
import { uploadIdOf } from '../uploads/uploadUrl.ts';
import { analysisVersion, type Tier, type Warning } from '../engine/analysis/analysis.ts';
import { findKeptMedia, type KeptMedia } from './keptMedia.ts';

/** Time limit of the HEAD request that asks whether the media has changed. */
const askTimeoutMs = 10_000;
const thoroughness: readonly Tier[] = ['fast', 'balanced', 'accurate'];

/** What a run reuses of the earlier run in `cache_id`, or the warning with the reason for reusing nothing. */
type Reusable = { kept: KeptMedia } | { warning: Warning };

/** Looks up the run that `cache_id` names. Unknown runs and those of other organizations give the same warning. */
export async function findReusable(connection: Connection, organizationId: string, cacheId: string): Promise<Reusable> {
  const kept = await findKeptMedia(connection, organizationId, cacheId);
  const id = JSON.stringify(cacheId);
  if (kept === 'unknown') return miss('cache-unknown', `cache_id is ${id}, which is not a run of your organization. The run started over.`);
  if (kept === 'nothing') return miss('cache-empty', `The run ${id} of cache_id ended before its analysis was complete. The run started over.`);
  return { kept };
}

/** Explains why the analysis of an earlier run cannot be used for this run; null if the analysis can be used. */
export function refuseAnalysis(kept: KeptMedia, mediaBlob: string, wanted: Tier | 'auto'): Warning | null {
  const { analysis, runId } = kept;
  if (kept.mediaBlob !== mediaBlob) {
    return warning('cache-other-media', `The run ${runId} of cache_id has a media file with different content. The run started over.`);
  }
  if (analysis.version !== analysisVersion) {
    return warning('cache-outdated', `The analysis of the run ${runId} of cache_id has version ${analysis.version}; the current version is ${analysisVersion}. The media was analysed again.`);
  }
  if (wanted !== 'auto' && thoroughness.indexOf(analysis.tier) < thoroughness.indexOf(wanted)) {
    return warning('cache-less-thorough', `The analysis of the run ${runId} of cache_id is ${analysis.tier}, less thorough than options.analysis (${wanted}). The media was analysed again.`);
  }
  return null;
}

/**
 * Whether a run can reuse the media of an earlier run without a download: the URL is the same, the blob is still stored,
 * and the server of the media does not report a change.
 */
export async function canSkipDownload(
  kept: KeptMedia, mediaUrl: string, blobs: Blobs, client: MediaClient, signal: AbortSignal,
): Promise<boolean> {
  if (!kept.mediaKept || kept.mediaUrl !== mediaUrl || (await blobs.stat(kept.mediaBlob)) === null) return false;
  // A complete upload never changes.
  if (uploadIdOf(mediaUrl) !== null) return true;
  return !(await hasChanged(kept, client, signal));
}

async function hasChanged(kept: KeptMedia, client: MediaClient, signal: AbortSignal): Promise<boolean> {
  try {
    const { status, headers, body } = await client.request({
      url: kept.mediaUrl,
      method: 'HEAD',
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'vouch' },
      signal,
      headersTimeoutMs: askTimeoutMs,
      bodyTimeoutMs: askTimeoutMs,
      maxRedirects: 5,
    });
    body.on('error', () => {}).destroy();
    if (status !== 200) return false;
    const { etag, 'content-length': length } = headers;
    if (etag !== undefined && kept.mediaEtag !== null) return strong(etag) !== strong(kept.mediaEtag);
    return length !== undefined && Number(length) !== kept.info.bytes;
  } catch {
    // A server that is unreachable or does not support HEAD reports no change.
    signal.throwIfAborted();
    return false;
  }
}

/** Removes the weak marker of an ETag, because a weak ETag also identifies a version of the media. */
function strong(etag: string): string {
  return etag.replace(/^W\//, '');
}

function warning(code: string, detail: string): Warning {
  return { code, detail };
}

function miss(code: string, detail: string): Reusable {
  return { warning: warning(code, detail) };
}
