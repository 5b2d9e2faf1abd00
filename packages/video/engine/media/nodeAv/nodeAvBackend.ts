import { Problem } from '@vouch/platform/errors/problem';
import { isInterruption } from '@vouch/platform/process/childEnd';
import type { MediaBackend, MediaBackendOptions } from '../mediaBackend.ts';
import { answerOfAv, AvRefused, type AvTools } from './askAv.ts';
import { AvPool } from './avPool.ts';
import { encodeAnimation, encodeClip, encodePiece, encodeSound, encodeStill } from './encodeMedia.ts';
import { probeFile } from './probeFile.ts';
import { listPackets, decodePictures, decodeSound, readSubtitles } from './decodeMedia.ts';

/**
 * Opens a media backend over the FFmpeg libraries of node-av. Only child processes of Node load the libraries; each runs one
 * task at a time and then waits for the next task. The libraries need no install script and none of node-av's own
 * dependencies.
 * @throws NodeAvUnusable if node-av is not installed or has no libraries for this platform; ChildFailed if somebody ended the process or it did not
 * answer in time
 */
export async function openNodeAv({ limits, timers }: MediaBackendOptions): Promise<MediaBackend> {
  const tools: AvTools = { limits, timers, pool: new AvPool(limits, timers) };
  const version = await versionOf({ ...tools, limits: { ...limits, wallMs: openingMs } });
  return {
    name: 'node-av',
    version,
    threads: limits.threads,
    // The package contains all encoders of previews.
    canEncode: async () => true,
    probe: (path, signal) => probeFile(tools, path, signal),
    packets: (path, info, signal) => listPackets(tools, path, info, signal),
    pictures: (request) => decodePictures(tools, request),
    sound: (request) => decodeSound(tools, request),
    subtitles: (request) => readSubtitles(tools, request),
    // A child runs one task at a time, and the pool keeps children for further tasks.
    readAllStreams: () => null,
    encodePiece: (request) => encodePiece(tools, request),
    encodeSound: (request) => encodeSound(tools, request),
    encodeStill: (request) => encodeStill(tools, request),
    encodeAnimation: (request) => encodeAnimation(tools, request),
    encodeClip: (request) => encodeClip(tools, request),
  };
}

/** The libraries of node-av cannot be used. The message says why. */
export class NodeAvUnusable extends Error {
  override readonly name = 'NodeAvUnusable';
}

/** Time limit for opening the libraries, ms; enough on a machine with ten other busy programs. */
const openingMs = 60_000;

async function versionOf(tools: AvTools): Promise<string> {
  try {
    import.meta.resolve('node-av/lib');
    const { answer } = await answerOfAv(tools, { kind: 'version' }, {
      path: 'node-av', failing: 'cannot be loaded', code: 'decoder-failed', signal: new AbortController().signal,
    });
    return answer;
  } catch (error) {
    const reason = error instanceof AvRefused ? error.error : null;
    // A time limit is a Problem.
    const interruption = reason instanceof Problem ? reason.cause : reason;
    if (isInterruption(interruption)) throw interruption;
    const why = error instanceof AvRefused ? error.complaints.trim().split('\n').at(-1) : 'the package node-av is not installed';
    throw new NodeAvUnusable(`node-av cannot be loaded (${why})`, { cause: error });
  }
}

