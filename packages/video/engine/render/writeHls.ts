import { open, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { FilePathSource, FilePathTarget, Input, MP4, Mp4OutputFormat, Output } from 'mediabunny';
import { clearCreationTimes } from './clearCreationTimes.ts';
import { copyTracks, readTrack } from './copyTracks.ts';
import { presentLater } from './presentLater.ts';

/** Least length of a segment, seconds. A segment begins with a key frame, for example with the first frame of a segment of the preview. */
const segmentSeconds = 2;
const shortestSegment = 0.5;

interface HlsFiles {
  /** A finished preview: mp4 with H.264, and AAC if it has sound. */
  preview: string;
  /** Path of the fragmented mp4 file to write; the playlist names it by the last part of the path. */
  media: string;
  /** Path of the playlist to write. */
  playlist: string;
}

/** A segment: a fragment of the media file with its header. */
interface HlsSegment {
  /** Start, seconds. */
  at: number;
  /** Range of bytes. */
  from: number;
  to: number;
}

/**
 * Writes a preview for HTTP Live Streaming (RFC 8216): a playlist, and one fragmented mp4 file of which each segment is a range of bytes. Nothing is
 * encoded again.
 */
export async function writeHls({ preview, media, playlist }: HlsFiles): Promise<void> {
  using input = new Input({ formats: [MP4], source: new FilePathSource(preview) });
  const [pictures, sound] = [await readTrack(await input.getPrimaryVideoTrack()), await readTrack(await input.getPrimaryAudioTrack())];
  if (pictures === null) throw new Error(`the preview ${preview} has no pictures that can be read`);
  const written = `${media}.partial`;
  const fragments: Fragment[] = [];
  const output = new Output({
    format: new Mp4OutputFormat({
      fastStart: 'fragmented', minimumFragmentDuration: segmentSeconds,
      onMoof: (data, position, timestamp) => fragments.push({ at: timestamp, position, moof: Buffer.from(data), contentBytes: 0 }),
      onMdat: (data) => { fragments.at(-1)!.contentBytes = data.length; },
    }),
    target: new FilePathTarget(written),
  });
  try {
    await copyTracks(output, pictures, sound);
    await output.finalize();
    await clearCreationTimes(written);
    const start = Math.min(pictures.first, sound?.first ?? Infinity);
    const segments = await placeFragments(written, media, fragments, start);
    const end = await input.computeDuration() - Math.max(0, start);
    await writeFile(playlist, describePlaylist(basename(media), withoutTail(segments, end), end));
  } catch (error) {
    await output.cancel().catch(() => {});
    throw error;
  } finally {
    await rm(written, { force: true });
  }
}

/** A fragment as mediabunny writes it: its header, then its content. */
interface Fragment {
  /** Start, seconds. */
  at: number;
  position: number;
  moof: Buffer;
  contentBytes: number;
}

/**
 * Copies the header of the file and all fragments into the media file, with the headers that `presentLater` returns.
 * @param start time in the preview of the first sample, seconds
 */
async function placeFragments(written: string, media: string, fragments: readonly Fragment[], start: number): Promise<HlsSegment[]> {
  const [from, to] = [await open(written, 'r'), await open(media, 'w')];
  try {
    const copy = async (position: number, bytes: number): Promise<Buffer> => (await from.read(Buffer.alloc(bytes), 0, bytes, position)).buffer;
    const { header, moofs } = presentLater(await copy(0, fragments[0]?.position ?? 0), fragments.map((fragment) => fragment.moof), start);
    await to.writeFile(header);
    let at = header.length;
    const segments: HlsSegment[] = [];
    for (const [index, moof] of moofs.entries()) {
      const fragment = fragments[index]!;
      await to.writeFile(moof);
      await to.writeFile(await copy(fragment.position + fragment.moof.length, fragment.contentBytes));
      segments.push({ at: Math.max(0, fragment.at + Math.min(0, start)), from: at, to: at + moof.length + fragment.contentBytes });
      at += moof.length + fragment.contentBytes;
    }
    return segments;
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

/** Joins the last segment with the one before if the last is short: the sound can be a little longer than the pictures. */
function withoutTail(segments: readonly HlsSegment[], end: number): readonly HlsSegment[] {
  const [before, last] = [segments.at(-2), segments.at(-1)];
  if (before === undefined || last === undefined || end - last.at >= shortestSegment) return segments;
  return [...segments.slice(0, -2), { ...before, to: last.to }];
}

/** @param end end of the last segment, seconds */
function describePlaylist(media: string, segments: readonly HlsSegment[], end: number): string {
  const lengths = segments.map(({ at }, index) => (segments[index + 1]?.at ?? end) - at);
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.max(1, ...lengths.map(Math.round))}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-MAP:URI="${media}",BYTERANGE="${segments[0]?.from ?? 0}@0"`,
    ...segments.flatMap(({ from, to }, index) => [`#EXTINF:${lengths[index]!.toFixed(6)},`, `#EXT-X-BYTERANGE:${to - from}@${from}`, media]),
    '#EXT-X-ENDLIST',
    '',
  ].join('\n');
}
