import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Warning } from '../engine/analysis/analysis.ts';
import { mediaErrors } from '../engine/mediaErrors.ts';
import { asFullDisk, downloadMedia, warnOfInterruptions, type DownloadRequest } from './downloadMedia.ts';
import { fetchTrack, type Download } from './fetchTrack.ts';
import type { MediaClient } from './mediaClient.ts';
import { parseHls, parseHlsTrack, type HlsAddress } from './playlists/parseHls.ts';
import { parseMpd } from './playlists/parseMpd.ts';
import { maxAddress, playlistProblem, type Recording, type Resolve } from './playlists/playlist.ts';

export interface VideoRequest extends DownloadRequest {
  /** Longest video, seconds; a longer playlist is refused before its segments are downloaded. */
  maxSeconds: number;
  /** Joins a file of pictures and a file of sound without encoding again; returns false if the sound cannot be read. */
  join(files: { video: string; audio: string; output: string }): Promise<boolean>;
}

interface DownloadedVideo {
  path: string;
  /** Null for a playlist: its segments can change without it. */
  etag: string | null;
  warnings: Warning[];
}

/** Largest playlist, bytes; 20,000 segments with long addresses have 4 MB. */
const maxPlaylistBytes = 8_388_608;
/** Progress, 0–1, at which the download of the segments begins. */
const begun = 0.01;

/**
 * Downloads a video: one media file, or the segments of an HLS or DASH playlist of a complete recording, joined to one file. Each address that a
 * playlist names is checked like `media_url`, all of them before the first segment is fetched, so no decoder ever opens an address.
 *
 * @throws Problem of `downloadMedia`; `playlist-refused`, `no-video-stream` or `media-too-long` for a playlist
 */
export async function downloadVideo(client: MediaClient, system: Pick<SystemInterfaces, 'clock' | 'elapsedMs' | 'timers'>, request: VideoRequest): Promise<DownloadedVideo> {
  const { path, etag, url, bytes, interruptions } = await downloadMedia(client, system, request);
  const kind = await playlistKind(path);
  if (kind === null) return { path, etag, warnings: warnOfInterruptions(interruptions) };
  const folder = join(request.folder, 'playlist');
  await mkdir(folder);
  try {
    return await new PlaylistDownload(client, (one) => downloadMedia(client, system, { ...one, ...(request.interrupted === undefined ? {} : { interrupted: request.interrupted }) }), request, folder).follow(kind, { path, url, bytes, interruptions });
  } catch (error) {
    await rm(path, { force: true });
    throw asFullDisk(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function playlistKind(path: string): Promise<'hls' | 'dash' | null> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    // Empty lines before the first tag are refused by the parser, whose sentence names the fault.
    if (/^(?:\xef\xbb\xbf)?\s*#EXTM3U\s/.test(head)) return 'hls';
    return /^(?:\xef\xbb\xbf)?\s*</.test(head) && /<(?:[\w.-]+:)?MPD[\s>]/.test(head) ? 'dash' : null;
  } finally {
    await file.close();
  }
}

/** A downloaded playlist, and its URL after redirects. */
interface Fetched {
  path: string;
  url: string;
  bytes: number;
  interruptions: readonly string[];
}

class PlaylistDownload {
  private readonly client: MediaClient;
  private readonly download: Download;
  private readonly request: VideoRequest;
  private readonly folder: string;
  private readonly interruptions: string[] = [];

  constructor(client: MediaClient, download: Download, request: VideoRequest, folder: string) {
    this.client = client;
    this.download = download;
    this.request = request;
    this.folder = folder;
  }

  async follow(kind: 'hls' | 'dash', playlist: Fetched): Promise<DownloadedVideo> {
    const { path } = playlist;
    const text = await this.read(playlist);
    const recording = kind === 'hls' ? await this.readHls(text, playlist.url) : parseMpd(text, playlist.url, this.resolve);
    const { video, audio } = recording;
    if (video.seconds > this.request.maxSeconds) {
      throw mediaErrors.problem('media-too-long', `The playlist of media_url has ${Math.round(video.seconds)} s; the limit is ${this.request.maxSeconds} s. Use a shorter video, or raise VOUCH_VIDEO_MAX_SECONDS.`);
    }
    const [pictures, sound] = [join(this.folder, 'video'), join(this.folder, 'audio')];
    await this.fetchTracks([{ track: video, path: pictures }, ...(audio === null ? [] : [{ track: audio, path: sound }])]);
    const joined = audio === null || await this.request.join({ video: pictures, audio: sound, output: path });
    if (audio === null || !joined) await rename(pictures, path);
    return { path, etag: null, warnings: [...warnOfInterruptions(this.interruptions), ...warnOfChoice(recording), ...(joined ? [] : [soundLost])] };
  }

  private async readHls(text: string, url: string): Promise<Recording> {
    const parsed = parseHls(text, url, this.resolve);
    if ('parts' in parsed) return { video: parsed, audio: null, chosen: { bandwidth: 0, width: 0, height: 0 }, offered: 1 };
    const { video, audio, chosen, offered } = parsed;
    return { video: await this.readTrack(video, 'of-video'), audio: audio === null ? null : await this.readTrack(audio, 'of-audio'), chosen, offered };
  }

  private async readTrack({ url, place }: HlsAddress, name: string): Promise<Recording['video']> {
    const folder = join(this.folder, name);
    await mkdir(folder);
    try {
      const fetched = await this.download({ url, folder, maxBytes: maxPlaylistBytes, signal: this.request.signal });
      return parseHlsTrack(await this.read(fetched), fetched.url, this.resolve);
    } catch (error) {
      if (!(error instanceof Problem) || this.request.signal.aborted) throw error;
      // The line instead of the address, because the path of a URL can contain a secret.
      throw error.withDetail(`The playlist of ${place.name} (line ${place.line} of the playlist of media_url): ${error.detail}`);
    }
  }

  private async fetchTracks(tracks: readonly { track: Recording['video']; path: string }[]): Promise<void> {
    const all = tracks.reduce((sum, { track }) => sum + track.parts.length, 0);
    let before = 0;
    let left = this.request.maxBytes;
    for (const { track, path } of tracks) {
      const folder = `${path}-segments`;
      await mkdir(folder);
      const offset = before;
      const { bytes, interruptions } = await fetchTrack(this.download, {
        track, path, folder, maxBytes: left, signal: this.request.signal, done: (count) => this.request.progress?.(begun + (1 - begun) * ((offset + count) / all)),
      });
      left -= bytes;
      before += track.parts.length;
      this.interruptions.push(...interruptions);
    }
  }

  private async read({ path, bytes, interruptions }: Fetched): Promise<string> {
    this.interruptions.push(...interruptions);
    if (bytes > maxPlaylistBytes) throw playlistProblem(`has ${bytes} bytes; the limit is ${maxPlaylistBytes}`);
    return readFile(path, 'utf8');
  }

  private readonly resolve: Resolve = (address, base, place) => {
    if (!URL.canParse(address, base)) throw playlistProblem(`has an address that cannot be read (${place})`);
    const { href, protocol, host } = new URL(address, base);
    if (href.length > maxAddress) throw playlistProblem(`has an address of ${href.length} characters (${place}); the limit is ${maxAddress}`);
    try {
      this.client.check(href);
      return href;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // The message contains no path, because the path of a URL can contain a secret.
      throw error.withDetail(`The playlist of media_url leads to ${protocol}//${host.slice(0, 255)} (${place}), which Vouch does not fetch. ${error.detail}`);
    }
  };
}

function warnOfChoice({ chosen: { width, height, bandwidth }, offered }: Recording): Warning[] {
  if (offered < 2) return [];
  const facts = [...(width * height > 0 ? [`${width} × ${height}`] : []), ...(bandwidth > 0 ? [`${Math.round(bandwidth / 1000)} kbit/s`] : [])];
  return [{ code: 'playlist-variant', detail: `The playlist offers ${offered} variants. Vouch read the largest one within 1080 lines: ${facts.join(', ') || 'the first'}.` }];
}

const soundLost: Warning = { code: 'sound-unreadable', detail: 'The sound of the playlist cannot be joined with its pictures. Only the frames were used to select the preview.' };
