import { describeWaiting } from '@vouch/platform/jobs/describeWaiting';
import type { Job } from '@vouch/platform/jobs/job';
import type { Output } from '../artifacts/outputStore.ts';
import { reportsShots } from '../engine/analysis/analysis.ts';
import type { MediaInfo } from '../engine/media/mediaInfo.ts';
import type { EngineFacts, RunRecord, Source } from './run.schema.ts';
import type { Run, StoredAnalysis } from './runStore.ts';
import { stageNames } from './summarizeKind.ts';

/** Below this progress, the remaining time cannot be estimated. */
const minProgress = 0.02;

interface RecordParts {
  run: Run;
  job: Job;
  /** Number of queued runs that begin before this run; null if the run is not in the queue. */
  ahead: number | null;
  outputs: readonly Output[];
  /** URL of a file that works without a key. */
  link: (runId: string, name: string) => string;
  /** Base URL of the error pages; a job stores only their path. */
  publicUrl: string;
  /** ms since the Unix epoch. */
  now: number;
}

/** Makes the public record of a run from the row of the run, its job and its files. */
export function toRunRecord({ run, job, ahead, outputs, link, publicUrl, now }: RecordParts): RunRecord {
  return {
    run_id: run.runId,
    status: statusOf(job),
    stage: job.stage,
    progress: job.progress,
    eta_seconds: timeLeft(job, now),
    runs_ahead: ahead,
    waiting: describeWaiting(job, now),
    media_url: run.mediaUrl,
    options: run.options,
    cache: { id: run.cacheId, hit: run.cacheId === null ? false : run.cacheHit },
    source: run.info === null ? null : toSource(run.info),
    engine: run.analysis === null ? null : toEngine(run.analysis),
    segments: (run.segments ?? []).map(({ start, end, score, reasons, title, text }) => (
      { start, end, score, reasons: reasons.map(({ kind, share, ...facts }) => ({ kind, share, ...facts })), title, text })),
    // Runs of earlier versions have an estimate in the tier fast.
    shots_count: run.analysis !== null && reportsShots(run.analysis.tier) ? run.analysis.shots : null,
    outputs: outputs.map(({ name, kind, bytes, contentType, width, height, duration, time, aspectRatio, framing, choice }) => ({
      kind,
      url: link(run.runId, name),
      name,
      bytes,
      content_type: contentType,
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
      ...(duration === undefined ? {} : { duration }),
      ...(time === undefined ? {} : { time }),
      ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
      ...(framing === undefined ? {} : { framing }),
      ...(choice === undefined ? {} : { choice }),
    })),
    warnings: run.warnings,
    timings: Object.fromEntries(stageNames.flatMap((name) => (run.timings[name] === undefined ? [] : [[name, run.timings[name]]]))),
    error: job.error === null ? null : toPublicError(job.error, publicUrl),
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    completed_at: job.completedAt?.toISOString() ?? null,
  };
}

/** Status of a run. After a cancel request, the status is `cancelling` until the processes of the run have ended. */
function statusOf(job: Job): RunRecord['status'] {
  return job.completedAt === null && job.cancelRequested ? 'cancelling' : job.status;
}

/** Remaining seconds if the rest runs at the same speed; null if an estimate is not possible. */
function timeLeft({ status, progress, startedAt }: Job, now: number): number | null {
  if (status === 'completed') return 0;
  if (status !== 'running' || startedAt === null || progress < minProgress) return null;
  const elapsedSeconds = Math.max(0, now - startedAt.getTime()) / 1000;
  return Math.round(((elapsedSeconds * (1 - progress)) / progress) * 10) / 10;
}

function toPublicError(error: NonNullable<Job['error']>, publicUrl: string): NonNullable<RunRecord['error']> {
  const { status: _, type, ...rest } = error;
  return { type: publicUrl + type, ...rest };
}

function toEngine({ backend, tier }: StoredAnalysis): EngineFacts {
  return { backend: backend.name, version: backend.version, analysis: tier };
}

/** The public facts of the media file. */
function toSource({ container, bytes, duration, video, audio }: MediaInfo): Source {
  return {
    container,
    bytes,
    duration,
    width: video.width,
    height: video.height,
    fps: Math.round((video.frameRate.numerator / video.frameRate.denominator) * 1000) / 1000,
    codec: video.codec,
    rotation: video.rotation,
    variable_frame_rate: video.variableFrameRate,
    bit_depth: video.bitDepth,
    high_dynamic_range: video.highDynamicRange,
    audio: audio === null ? null : { codec: audio.codec, sample_rate: audio.sampleRate, channels: audio.channels },
  };
}
