import type { MediaBackend, MediaBackendOptions } from '../mediaBackend.ts';
import { encodeAnimation, encodeClip, encodeSound, encodeStill } from './encodeOther.ts';
import { encodePiece, encoderOf } from './encodePiece.ts';
import type { FfmpegTools } from './ffmpegChild.ts';
import { askFfmpeg } from './ffmpegPrograms.ts';
import { listPackets } from './packets.ts';
import { decodePictures } from './pictures.ts';
import { probeFile } from './probe.ts';
import { decodeSound } from './sound.ts';
import { readSubtitles } from './subtitles.ts';
import { readAllStreams } from './readAllStreams.ts';

/**
 * Opens a media backend over an installed ffmpeg, which runs one short-lived child process per call.
 * @param command a path, or `ffmpeg` to search PATH
 * @throws FfmpegUnusable if no ffmpeg is found, or if it is older than 5.1
 */
export async function openFfmpeg(command: string, { limits, timers }: MediaBackendOptions): Promise<MediaBackend> {
  const programs = await askFfmpeg(command, timers);
  const tools: FfmpegTools = { programs, limits, timers };
  return {
    name: 'ffmpeg',
    version: programs.version,
    threads: limits.threads,
    canEncode: async (codec) => encoderOf(codec, await programs.encoders()) !== null,
    probe: (path, signal) => probeFile(tools, path, signal),
    packets: (path, info, signal) => listPackets(tools, path, info, signal),
    pictures: (request) => decodePictures(tools, request),
    sound: (request) => decodeSound(tools, request),
    subtitles: (request) => readSubtitles(tools, request),
    readAllStreams: (request) => readAllStreams(tools, request),
    encodePiece: (request) => encodePiece(tools, request),
    encodeSound: (request) => encodeSound(tools, request),
    encodeStill: (request) => encodeStill(tools, request),
    encodeAnimation: (request) => encodeAnimation(tools, request),
    encodeClip: (request) => encodeClip(tools, request),
  };
}
