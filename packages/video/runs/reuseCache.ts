import type { Blobs } from '@vouch/platform/blobs/blobs';
import type { Connection } from '@vouch/platform/database/database';
import type { OutboundHttp } from '@vouch/platform/outbound/outbound';
import { analysisVersion, type Tier, type Warning } from '../engine/analysis/analysis.ts';
import { findKeptMedia, type KeptMedia } from './keptMedia.ts';

/** How long the server of the media may take to say whether it has changed. */
const askTimeoutMs = 10_000;
const thoroughness: readonly Tier[] = ['fast', 'balanced', 'accurate'];

/** What a run may take from the one that it names as its cache; or nothing, and why. */
type Reusable = { kept: KeptMedia } | { warning: Warning };

/** Looks up the run that `cache_id` names. Unknown runs and those of other organizations give the same warning. */
export async function findReusable(connection: Connection, organizationId: string, cacheId: string): Promise<Reusable> {
  const kept = await findKeptMedia(connection, organizationId, cacheId);
  const id = JSON.stringify(cacheId);
  if (kept === 'unknown') return miss('cache-unknown', `cache_id is ${id}, which is no run of yours; everything was done anew.`);
  if (kept === 'nothing') return miss('cache-empty', `The run ${id} of cache_id did not get as far as an analysis; everything was done anew.`);
  return { kept };
}

/** Why the analysis of an earlier run cannot be used for this one, or null. */
export function refuseAnalysis(kept: KeptMedia, mediaBlob: string, wanted: Tier | 'auto'): Warning | null {
  const { analysis, runId } = kept;
  if (kept.mediaBlob !== mediaBlob) {
    return warning('cache-other-media', `The run ${runId} of cache_id is of another media file: the contents differ. Everything was done anew.`);
  }
  if (analysis.version !== analysisVersion) {
    return warning('cache-outdated', `The analysis of the run ${runId} of cache_id was made by an older version (${analysis.version}, now ${analysisVersion}); it was made anew.`);
  }
  if (wanted !== 'auto' && thoroughness.indexOf(analysis.tier) < thoroughness.indexOf(wanted)) {
    return warning('cache-less-thorough', `The analysis of the run ${runId} of cache_id is ${analysis.tier}, less than the ${wanted} that options.analysis asks for; it was made anew.`);
  }
  return null;
}

/**
 * Whether the media of an earlier run can be taken without fetching it again: same address, its blob kept, and its server
 * does not say that it has changed.
 */
export async function canSkipDownload(
  kept: KeptMedia, mediaUrl: string, blobs: Blobs, outbound: OutboundHttp, signal: AbortSignal,
): Promise<boolean> {
  if (!kept.mediaKept || kept.mediaUrl !== mediaUrl || (await blobs.stat(kept.mediaBlob)) === null) return false;
  return !(await hasChanged(kept, outbound, signal));
}

async function hasChanged(kept: KeptMedia, outbound: OutboundHttp, signal: AbortSignal): Promise<boolean> {
  try {
    const { status, headers, body } = await outbound.request({
      url: kept.mediaUrl,
      method: 'HEAD',
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'vouch' },
      signal,
      headersTimeoutMs: askTimeoutMs,
      bodyTimeoutMs: askTimeoutMs,
      maximumRedirects: 5,
    });
    body.on('error', () => {}).destroy();
    if (status !== 200) return false;
    const { etag, 'content-length': length } = headers;
    if (etag !== undefined && kept.mediaEtag !== null) return strong(etag) !== strong(kept.mediaEtag);
    return length !== undefined && Number(length) !== kept.info.bytes;
  } catch {
    // Servers that are away, or do not know HEAD, say nothing against what is kept.
    signal.throwIfAborted();
    return false;
  }
}

/** Weak tags of one version are compared like strong ones: what matters is whether it is the same media. */
function strong(etag: string): string {
  return etag.replace(/^W\//, '');
}

function warning(code: string, detail: string): Warning {
  return { code, detail };
}

function miss(code: string, detail: string): Reusable {
  return { warning: warning(code, detail) };
}
