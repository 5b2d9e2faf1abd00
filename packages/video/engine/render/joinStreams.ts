import { ADTS, FilePathSource, FilePathTarget, Input, MATROSKA, MP3, MP4, Mp4OutputFormat, MPEG_TS, Output, WEBM } from 'mediabunny';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import { clearCreationTimes } from './clearCreationTimes.ts';
import { copyTracks, readTrack } from './copyTracks.ts';

/** Containers of segments. */
const formats = [MP4, MPEG_TS, MATROSKA, WEBM, ADTS, MP3];

interface StreamFiles {
  /** File with the pictures. */
  video: string;
  /** File with the sound, on the same clock. */
  audio: string;
  /** Path of the mp4 file to write. */
  output: string;
}

/**
 * Joins the pictures of one file and the sound of another in an mp4 file, without encoding again. Times relative to each other are kept.
 * @returns false if one of the files cannot be read, or has a codec that mp4 cannot contain
 */
export async function joinStreams({ video, audio, output }: StreamFiles): Promise<boolean> {
  const inputs = [video, audio].map((path) => new Input({ formats, source: new FilePathSource(path) }));
  let joined: Output | null = null;
  try {
    const [pictures, sound] = [await readTrack(await inputs[0]!.getPrimaryVideoTrack()), await readTrack(await inputs[1]!.getPrimaryAudioTrack())];
    if (pictures === null || sound === null) return false;
    joined = new Output({ format: new Mp4OutputFormat({ fastStart: false }), target: new FilePathTarget(output) });
    await copyTracks(joined, pictures, sound);
    await joined.finalize();
    await clearCreationTimes(output);
    return true;
  } catch (error) {
    await joined?.cancel().catch(() => {});
    if (isDiskFull(error)) throw error;
    return false;
  } finally {
    for (const input of inputs) input.dispose();
  }
}
