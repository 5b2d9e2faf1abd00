import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { mediaErrors } from '../../mediaErrors.ts';
import { containerNames } from '../containers.ts';
import { matchSignature, type Sniffed } from './signatures.ts';
import { textKind } from './textKind.ts';

/** Number of inspected bytes; enough for the first packets of a transport stream and the beginning of any text. */
const headBytes = 4096;

/**
 * Determines the container of a local file from its first bytes, before a decoder reads the file.
 * @returns FFmpeg's short name: mp4, mov, matroska, webm, mpegts, avi, flv, ogg, asf, mpeg or gif
 * @throws Problem `media-empty`, `not-media`, `playlist-refused`, `unsupported-container`, `no-video-stream` (sound only)
 */
export async function sniffContainer(path: string): Promise<string> {
  const { head, bytes } = await readHead(path);
  const name = basename(path);
  if (bytes === 0) throw mediaErrors.problem('media-empty', `${name} is empty. Check that the URL or path leads to the video.`);
  const sniffed = sniffBytes(head, bytes);
  switch (sniffed.kind) {
    case 'container':
      return sniffed.container;
    case 'playlist':
      throw mediaErrors.problem('playlist-refused', `${name} is ${sniffed.what}. Vouch reads only HLS and DASH playlists, and only from their own http, https or s3 URL. Use that URL, or one complete media file.`);
    case 'not-media':
      throw mediaErrors.problem('not-media', `${name} is ${sniffed.what}, not a video. Use the media file, not a page or an image that links to it.`);
    case 'unsupported':
      throw mediaErrors.problem('unsupported-container', `${name} is ${sniffed.what}. The supported containers are ${containerNames}.`);
    case 'sound':
      throw mediaErrors.problem('no-video-stream', `${name} is ${sniffed.what}, without video. Use a file with a video stream.`);
    case 'unknown':
      throw mediaErrors.problem('not-media', `${name} does not begin like any known media container. Check that the file is a video and complete.`);
  }
}

/**
 * Inspects the first bytes of a file in memory.
 * @param head the first bytes of the file, as Latin-1
 * @param bytes length of the whole file
 */
function sniffBytes(head: string, bytes: number): Sniffed {
  const known = matchSignature(head, bytes);
  return known.kind === 'unknown' || weak.test(head) ? (textKind(head) ?? known) : known;
}

/**
 * Weak signatures: a text may start with the same letters, and the byte order mark of UTF-16 resembles MP3. For these, text
 * has priority.
 */
const weak = /^(?:BM|BZh|ID3|PK|GIF8|MThd|DKIF|fLaC|8BPS|YUV4|\.RMF|\xff\xfe|\xfe\xff)/;

async function readHead(path: string): Promise<{ head: string; bytes: number }> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return { head: buffer.toString('latin1', 0, bytesRead), bytes: (await file.stat()).size };
  } finally {
    await file.close();
  }
}
