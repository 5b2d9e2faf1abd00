import { Problem } from '@vouch/platform/errors/problem';
import { believableEnd } from '../media/believableEnd.ts';
import type { AllStreams, PictureRequest, PictureStream } from '../media/mediaBackend.ts';
import type { PacketIndex } from '../media/mediaInfo.ts';
import type { MediaSource } from '../media/mediaSource.ts';
import { mediaErrors } from '../mediaErrors.ts';
import { analysisShape } from '../pictures/frameTrack.ts';
import { measurePictures } from '../pictures/measurePictures.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import { measureSound } from '../sound/measureSound.ts';
import { analysisSampleRate, type SoundTrack } from '../sound/soundTrack.ts';
import type { Warning } from '../analysis/analysis.ts';
import { decodersAtOnce, readInParts } from './readInParts.ts';

interface VideoRequest extends MediaSource {
  /** Receives the progress, 0–1. If the first attempt fails, the progress starts at 0 again. */
  progress(fraction: number): void;
}

/** Measurements of a whole video. */
interface MeasuredVideo {
  index: PacketIndex;
  measured: Measured;
  sound: SoundTrack | null;
  /** Faults of the media in spite of which the video was measured. */
  faults: Warning[];
}

interface MeasuredPictures {
  measured: Measured;
  /** Frames or packets that the decoder reported as damaged. */
  damaged: number;
}

interface Readings {
  index: PacketIndex;
  pictures: MeasuredPictures;
  sound: SoundTrack | null;
}

/**
 * Lists the packets and measures the pictures and the sound. Each stream is decoded once, all streams at the same time;
 * several decoders share the pictures of a long video. A file with a fault is read once more from beginning to end. If that
 * fails too, packets, pictures and sound are read separately, because one faulty stream need not end the analysis. Damaged
 * pictures are decoded again by one thread: several conceal damage in another way each time.
 * @throws Problem `damaged-media`, `decoder-failed`, `media-limit`; the signal's reason on abort
 */
export async function measureVideo(request: VideoRequest, skip: PictureRequest['skip']): Promise<MeasuredVideo> {
  const faults: Warning[] = [];
  const read = await readSplit(request, skip) ?? await readAllStreams(request, skip) ?? await readApart(request, skip, faults);
  const { index, sound } = read;
  const again = read.pictures.damaged > 0 && threadsFor(skip).threads !== 1 && request.backend.threads > 1;
  const pictures = again ? await decodePictures(request, { skip, threads: 1 }, telling(request)) : read.pictures;
  if (pictures.measured.frames.times.length === 0) {
    throw mediaErrors.problem('damaged-media', 'No frame of the video can be decoded. Check that the file plays and is complete.');
  }
  if (pictures.damaged > 0) {
    faults.push({
      code: 'damaged-pictures',
      detail: `The decoder reported ${pictures.damaged} damaged ${pictures.damaged === 1 ? 'place' : 'places'} in the video stream. The preview uses the frames that could be decoded.`,
    });
  }
  return { index, measured: pictures.measured, sound, faults };
}

/** Null if the video is too short for several decoders, or has a fault, or if one process costs less. */
async function readSplit(request: VideoRequest, skip: PictureRequest['skip']): Promise<Readings | null> {
  const { backend, path, info, signal } = request;
  if (decodersAtOnce(backend, info) === 1 || (skip === 'non-key' && info.duration <= oneProcessSeconds)) return null;
  return orNull(signal, async () => {
    const stop = new AbortController();
    const reading = { ...request, signal: AbortSignal.any([signal, stop.signal]) };
    const index = backend.packets(path, info, reading.signal);
    const readings = [
      index, measureSplit(reading, skip, index),
      info.audio === null ? null : measureSound(backend.sound({ path, info, sampleRate: analysisSampleRate, channels: 1, signal: reading.signal })),
    ] as const;
    await allEnded(readings, stop);
    const [packets, pictures, sound] = await Promise.all(readings);
    return pictures.damaged > 0 ? null : { index: packets, pictures, sound };
  });
}

/**
 * Length up to which key frames, sound and packets are read in one process, seconds. This saves the start of two processes, 0.2 s of processor time, but ffmpeg 5
 * decodes the sound and the key frames of one process in turn, which takes 1 s longer for five minutes.
 */
const oneProcessSeconds = 300;

/**
 * Number of threads that decode. For key frames, more than one costs more than it saves: 1.0 s instead of 0.75 s of processor time for 91 key frames at 1080p.
 */
function threadsFor(skip: PictureRequest['skip']): Pick<PictureRequest, 'threads'> {
  return skip === 'non-key' ? { threads: 1 } : {};
}

/** Measures the pictures with several decoders, or key frames with one decoder. */
async function measureSplit(reading: VideoRequest, skip: PictureRequest['skip'], index: Promise<PacketIndex>): Promise<MeasuredPictures> {
  if (skip === 'non-key') return decodePictures(reading, { skip, ...threadsFor(skip) }, telling(reading));
  return measureStream(readInParts(reading, skip, await index), telling(reading));
}

/** Null if the backend cannot read all streams in one process, or if a stream has a fault. */
async function readAllStreams(request: VideoRequest, skip: PictureRequest['skip']): Promise<Readings | null> {
  const { backend, path, info, signal } = request;
  const reading = backend.readAllStreams({
    path, info, ...analysisShape, skip, ...threadsFor(skip), to: believableEnd(info.duration),
    sampleRate: analysisSampleRate, signal,
  });
  return reading === null ? null : orNull(signal, () => allOf(reading, telling(request)));
}

/** The result of `work`; null if a fault of the media ended it. */
async function orNull(signal: AbortSignal, work: () => Promise<Readings | null>): Promise<Readings | null> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || !(error instanceof Problem) || error.code === 'media-limit') throw error;
    return null;
  }
}

async function allOf({ packets, pictures, sound }: AllStreams, seen: (time: number) => void): Promise<Readings> {
  const readings = [packets(), measureStream(pictures, seen), sound === null ? null : measureSound(sound)] as const;
  // Wait until all readings have ended, then throw the first error.
  await Promise.allSettled(readings);
  const [index, measured, heard] = await Promise.all(readings);
  return { index, pictures: measured, sound: heard };
}

async function readApart(request: VideoRequest, skip: PictureRequest['skip'], faults: Warning[]): Promise<Readings> {
  const { backend, path, info } = request;
  const stop = new AbortController();
  const reading = { ...request, signal: AbortSignal.any([request.signal, stop.signal]) };
  const readings = [
    backend.packets(path, info, reading.signal), decodePictures(reading, { skip, ...threadsFor(skip) }, telling(request)), hearSound(reading, faults),
  ] as const;
  await allEnded(readings, stop);
  const [index, pictures, sound] = await Promise.all(readings);
  return { index, pictures, sound };
}

/** Resolves when all readings have ended. The first reading that fails stops the others. */
async function allEnded(readings: readonly (Promise<unknown> | null)[], stop: AbortController): Promise<void> {
  for (const one of readings) one?.catch((error: unknown) => stop.abort(error));
  await Promise.allSettled(readings);
}

function telling({ info, progress }: VideoRequest): (time: number) => void {
  return (time) => progress(Math.min(1, time / info.duration));
}

/**
 * Measures the sound. If the sound cannot be decoded, adds a warning and returns null, so that the video still gets a preview.
 */
async function hearSound({ backend, path, info, signal }: VideoRequest, warnings: Warning[]): Promise<SoundTrack | null> {
  if (info.audio === null) return null;
  try {
    return await measureSound(backend.sound({ path, info, sampleRate: analysisSampleRate, channels: 1, signal }));
  } catch (error) {
    if (signal.aborted || !(error instanceof Error && 'code' in error && error.code === 'damaged-media')) throw error;
    warnings.push({ code: 'sound-unreadable', detail: `The audio (${info.audio.codec}) cannot be decoded. Only the frames were used to select the preview.` });
    return null;
  }
}

/**
 * Decodes pictures at the size of the analysis and measures them.
 * @param part the frames that the decoder skips, and the number of decoder threads (default: all)
 * @param seen called with the presentation time of each picture, seconds
 */
function decodePictures(
  { backend, path, info, signal }: MediaSource, part: Pick<PictureRequest, 'skip' | 'threads'>, seen: (time: number) => void,
): Promise<MeasuredPictures> {
  return measureStream(backend.pictures({ path, info, ...analysisShape, to: believableEnd(info.duration), ...part, signal }), seen);
}

async function measureStream(pictures: PictureStream, seen: (time: number) => void): Promise<MeasuredPictures> {
  const measured = await measurePictures(pictures, seen);
  return { measured, damaged: pictures.damaged() };
}
