import { Problem } from '@vouch/platform/errors/problem';
import { believableEnd } from '../media/believableEnd.ts';
import type { MediaBackend, PictureRequest, TogetherReading } from '../media/mediaBackend.ts';
import type { MediaInfo, PacketIndex } from '../media/mediaInfo.ts';
import { mediaErrors } from '../mediaErrors.ts';
import type { Measured } from '../pictures/pictureMeter.ts';
import { measureSound } from '../sound/measureSound.ts';
import { analysisSampleRate, type SoundTrack } from '../sound/soundTrack.ts';
import type { Warning } from './analysis.ts';
import { analysisShape, measureStream, readPictures, type MeasuredPictures } from './readPictures.ts';

interface WholeRequest {
  backend: MediaBackend;
  path: string;
  info: MediaInfo;
  signal: AbortSignal;
  /** 0–1 over the whole video; begins anew where a first attempt failed. */
  progress(fraction: number): void;
}

/** A whole video, measured. */
export interface WholeVideo {
  index: PacketIndex;
  measured: Measured;
  sound: SoundTrack | null;
  /** Faults of the media that were got over. */
  faults: Warning[];
}

interface Readings {
  index: PacketIndex;
  pictures: MeasuredPictures;
  sound: SoundTrack | null;
}

/**
 * Lists the packets and measures the pictures and the sound, each decoded once and all at the same time. A file with a
 * fault that ends a reading of all three together is read once more, each alone: that tells what can be got over.
 * @throws Problem `damaged-media`, `decoder-failed`, `media-limit`; the signal's reason on abort
 */
export async function readWhole(request: WholeRequest, skip: PictureRequest['skip']): Promise<WholeVideo> {
  const faults: Warning[] = [];
  const { index, pictures, sound } = await readTogether(request, skip) ?? await readApart(request, skip, faults);
  if (pictures.measured.frames.times.length === 0) {
    throw mediaErrors.problem('damaged-media', 'No picture of the video can be decoded. Check that the file plays and is complete.');
  }
  if (pictures.damaged > 0) {
    faults.push({
      code: 'damaged-pictures',
      detail: `The decoder reported ${pictures.damaged} damaged ${pictures.damaged === 1 ? 'place' : 'places'} in the pictures; what could be decoded is summarized.`,
    });
  }
  return { index, measured: pictures.measured, sound, faults };
}

/** Null where that cannot be, or failed in a way that reading each part alone may get over. */
async function readTogether(request: WholeRequest, skip: PictureRequest['skip']): Promise<Readings | null> {
  const { backend, path, info, signal } = request;
  const reading = backend.readTogether({
    path, info, ...analysisShape, skip, to: believableEnd(info.duration),
    sampleRate: analysisSampleRate, signal,
  });
  if (reading === null) return null;
  try {
    return await allOf(reading, telling(request));
  } catch (error) {
    if (signal.aborted || !(error instanceof Problem) || error.code === 'media-limit') throw error;
    return null;
  }
}

async function allOf({ packets, pictures, sound }: TogetherReading, seen: (time: number) => void): Promise<Readings> {
  const readings = [packets(), measureStream(pictures, seen), sound === null ? null : measureSound(sound)] as const;
  // All of them end before anything else is read; the error is that of the first.
  await Promise.allSettled(readings);
  const [index, measured, heard] = await Promise.all(readings);
  return { index, pictures: measured, sound: heard };
}

async function readApart(request: WholeRequest, skip: PictureRequest['skip'], faults: Warning[]): Promise<Readings> {
  const { backend, path, info } = request;
  const stop = new AbortController();
  const reading = { ...request, signal: AbortSignal.any([request.signal, stop.signal]) };
  const readings = [
    backend.packets(path, info, reading.signal), readPictures(reading, { skip }, telling(request)), hearSound(reading, faults),
  ] as const;
  // The first that fails stops the others, which then fail with its error.
  for (const one of readings) one.catch((error: unknown) => stop.abort(error));
  await Promise.allSettled(readings);
  const [index, pictures, sound] = await Promise.all(readings);
  return { index, pictures, sound };
}

function telling({ info, progress }: WholeRequest): (time: number) => void {
  return (time) => progress(Math.min(1, time / info.duration));
}

/** Sound that cannot be decoded is no reason to give no preview. */
async function hearSound({ backend, path, info, signal }: WholeRequest, warnings: Warning[]): Promise<SoundTrack | null> {
  if (info.audio === null) return null;
  try {
    return await measureSound(backend.sound({ path, info, sampleRate: analysisSampleRate, channels: 1, signal }));
  } catch (error) {
    if (signal.aborted || !(error instanceof Error && 'code' in error && error.code === 'damaged-media')) throw error;
    warnings.push({ code: 'sound-unreadable', detail: `The sound (${info.audio.codec}) cannot be decoded; the preview is chosen by its pictures alone.` });
    return null;
  }
}
