import type { Connection } from '@vouch/platform/database/database';
import type { Job, JobContext, JobKind } from '@vouch/platform/jobs/job';
import type { Platform } from '@vouch/platform/product/product';
import { hookLinkMs, type ArtifactLinks } from '../artifacts/artifactLinks.ts';
import type { VideoSettings } from '../config/videoSettings.ts';
import { releaseUpload } from '../uploads/uploadStore.ts';
import { uploadIdOf } from '../uploads/uploadUrl.ts';
import { describeRun } from './fetchRun.ts';
import { findRun } from './runStore.ts';
import { Summarization } from './summarization.ts';
import { stageNames, summarizeKind, type StageName } from './summarizeKind.ts';

/** Share of each stage in the duration of a run, for a 1080p film: most of the time is decoding. */
const shares: Record<StageName, number> = { download: 0.1, probe: 0.01, analyse: 0.68, subtitles: 0.01, select: 0.01, render: 0.19 };
/** The same with a transcription: without a GPU, a recognizer can take longer than the analysis. */
const sharesWithTranscription: Record<StageName, number> = { download: 0.05, probe: 0.01, analyse: 0.35, subtitles: 0.48, select: 0.01, render: 0.1 };

/** The job that summarizes one video: from the URL to the files of the preview. */
export function summarizeJob(platform: Platform, settings: VideoSettings, links: ArtifactLinks): JobKind {
  return {
    name: summarizeKind,
    stages: stageNames.map((stage) => ({ name: stage, share: (settings.video_transcription_url === undefined ? shares : sharesWithTranscription)[stage] })),
    concurrency: settings.video_concurrency,
    maxAttempts: 3,
    run: (context) => summarize(platform, settings, links, context),
    ended: (transaction, job) => finish(platform, settings, links, transaction, job),
  };
}

async function summarize(
  platform: Platform, settings: VideoSettings, links: ArtifactLinks, context: JobContext,
): Promise<(transaction: Connection, completed: Job) => Promise<void>> {
  const { job } = context;
  const run = await findRun(platform.database, job.organizationId, job.id);
  if (run === null) throw new Error(`run ${job.id} has no row`);
  const work = new Summarization(platform, settings, context, run);
  try {
    const store = await work.summarize();
    return async (transaction, completed) => {
      await store(transaction);
      await finish(platform, settings, links, transaction, completed);
    };
  } finally {
    await work.stopped();
  }
}

/** Releases the upload of an ended run and announces the end to the hook. */
async function finish(platform: Platform, settings: VideoSettings, links: ArtifactLinks, transaction: Connection, job: Job): Promise<void> {
  const run = await findRun(transaction, job.organizationId, job.id);
  if (run === null) return;
  const uploadId = uploadIdOf(run.mediaUrl);
  if (uploadId !== null) {
    await releaseUpload(transaction, job.organizationId, { uploadId, runId: job.id, hours: settings.video_cache_hours });
  }
  if (run.hook === null) return;
  await platform.webhooks.enqueue(transaction, {
    organizationId: job.organizationId,
    url: run.hook,
    traceparent: job.traceparent,
    type: `video.summarization.${job.status}`,
    data: await describeRun(platform, links, transaction, job, hookLinkMs),
  });
}
