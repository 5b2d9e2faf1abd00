import { statfs } from 'node:fs/promises';
import { Problem } from '@vouch/platform/errors/problem';
import type { Finding } from '@vouch/platform/product/findings';
import type { DoctorCheck, Platform } from '@vouch/platform/product/product';
import { openEngine } from '../runs/openEngine.ts';
import type { VideoSettings } from '../config/videoSettings.ts';
import { findTranscriptionFault } from '../transcription/findTranscriptionFault.ts';
import { videoFindings } from './videoFindings.ts';

/** Checks of `vouch doctor`: the video decoder, and the disk space for the largest allowed video. */
export function mediaChecks(platform: Pick<Platform, 'scratch' | 'timers'>, settings: VideoSettings): DoctorCheck[] {
  return [
    { name: 'video decoder', run: async () => [await checkDecoder(platform, settings)] },
    ...(settings.video_transcription_url === undefined ? [] : [{ name: 'video transcription', run: async () => [await checkTranscription(settings, platform.timers)] }]),
    { name: 'video disk', run: async () => [await checkDisk(platform.scratch, settings.video_max_bytes)] },
  ];
}

async function checkDecoder(platform: Pick<Platform, 'timers'>, settings: VideoSettings): Promise<Finding> {
  const engine = openEngine({ settings, signal: new AbortController().signal, timers: platform.timers, niceness: 0 });
  try {
    const { name, version } = await engine.call('backend', {});
    const which = name === 'ffmpeg' ? `the installed ffmpeg ${version}` : `FFmpeg ${version} from the npm package node-av`;
    return { status: 'ok', detail: `decoder: ${which}` };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return videoFindings.found('decoder-unavailable', error.detail);
  } finally {
    await engine.stopped();
  }
}

/** Transcribes a second of silence. */
async function checkTranscription(settings: VideoSettings, timers: Platform['timers']): Promise<Finding> {
  const fault = await findTranscriptionFault(settings, timers);
  return fault === null
    ? { status: 'ok', detail: `${new URL(settings.video_transcription_url ?? '').host} transcribes` }
    : videoFindings.found('transcription-unavailable', fault);
}

/** Checks for space of twice the largest video: the download and its copy in the blob store. */
async function checkDisk(folder: string, largest: number): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const detail = `${gigabytes(free)} free, for a video of up to ${gigabytes(largest)} and its copy`;
  if (free >= 2 * largest) return { status: 'ok', detail };
  return videoFindings.found('video-disk-low', detail);
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
