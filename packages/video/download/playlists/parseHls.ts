import { mediaErrors } from '../../engine/mediaErrors.ts';
import { chooseVariant } from './chooseVariant.ts';
import { parseAttributes, splitHls, type HlsLine } from './hlsLines.ts';
import { countOf, maxParts, playlistProblem, type Part, type Resolve, type Track, type Variant } from './playlist.ts';

/** A media playlist that a multivariant playlist names, and where. */
export interface HlsAddress {
  url: string;
  place: { name: 'the chosen variant' | 'the sound of the chosen variant'; line: number };
}

/** The media playlists of the chosen variant. */
export interface HlsChoice {
  video: HlsAddress;
  /** Null if the segments of the video contain the sound. */
  audio: HlsAddress | null;
  chosen: Variant;
  offered: number;
}

interface HlsVariant extends Variant {
  address: HlsLine;
  audioGroup: string | undefined;
}

/**
 * Parses an HLS playlist (RFC 8216): returns the chosen variant of a multivariant playlist, or the track of a media playlist.
 * @param base URL of the playlist
 * @throws Problem `playlist-refused`, `no-video-stream`, or that of `resolve`
 */
export function parseHls(text: string, base: string, resolve: Resolve): HlsChoice | Track {
  const lines = readLines(text);
  return offersVariants(lines) ? chooseHlsVariant(lines, base, resolve) : trackOf(lines, base, resolve);
}

/**
 * Parses a media playlist of HLS (RFC 8216, section 4.3.3) that a multivariant playlist names.
 * @param base URL of the playlist
 * @throws Problem `playlist-refused`, or that of `resolve`
 */
export function parseHlsTrack(text: string, base: string, resolve: Resolve): Track {
  const lines = readLines(text);
  if (offersVariants(lines)) throw playlistProblem('leads to another playlist of variants instead of segments');
  return trackOf(lines, base, resolve);
}

function readLines(text: string): HlsLine[] {
  const lines = splitHls(text);
  refuseUnsupported(lines);
  return lines;
}

function offersVariants(lines: readonly HlsLine[]): boolean {
  return lines.some(({ tag }) => tag === 'EXT-X-STREAM-INF');
}

function chooseHlsVariant(lines: readonly HlsLine[], base: string, resolve: Resolve): HlsChoice {
  const variants = lines.flatMap((line, at): HlsVariant[] => {
    if (line.tag !== 'EXT-X-STREAM-INF') return [];
    const uri = lines[at + 1];
    if (uri === undefined || uri.tag !== null) throw playlistProblem(`has no address after line ${line.number} (#EXT-X-STREAM-INF)`);
    return variantOf(line, uri);
  });
  if (variants.length === 0) throw mediaErrors.problem('no-video-stream', 'The playlist of media_url offers only sound. Use a playlist with a video.');
  const chosen = chooseVariant(variants);
  const sound = chosen.audioGroup === undefined ? null : soundOf(lines, chosen.audioGroup);
  const addressOf = ({ value, number }: Pick<HlsLine, 'value' | 'number'>, name: HlsAddress['place']['name']): HlsAddress =>
    ({ url: resolve(value, base, name), place: { name, line: number } });
  return {
    video: addressOf(chosen.address, 'the chosen variant'), audio: sound === null ? null : addressOf(sound, 'the sound of the chosen variant'),
    chosen, offered: variants.length,
  };
}

/** Returns the variant that a #EXT-X-STREAM-INF line describes; nothing for a variant that contains only sound. */
function variantOf(line: HlsLine, address: HlsLine): HlsVariant[] {
  const attributes = parseAttributes(line);
  const [, width = '0', height = '0'] = /^(\d{1,5})x(\d{1,5})$/.exec(attributes.get('RESOLUTION') ?? '') ?? [];
  const codecs = attributes.get('CODECS');
  const soundAlone = width === '0' && codecs !== undefined && codecs.split(',').every((codec) => /^\s*(?:mp4a|ac-3|ec-3|opus|flac|alac|mp3)/i.test(codec));
  if (soundAlone) return [];
  return [{ address, bandwidth: countOf(attributes.get('BANDWIDTH')) ?? 0, width: Number(width), height: Number(height), audioGroup: attributes.get('AUDIO') }];
}

/** Address of the default sound of a group; null if the sound is in the segments of the video. */
function soundOf(lines: readonly HlsLine[], group: string): Pick<HlsLine, 'value' | 'number'> | null {
  const renditions = lines.filter(({ tag }) => tag === 'EXT-X-MEDIA').map((line) => ({ number: line.number, attributes: parseAttributes(line) }))
    .filter(({ attributes }) => attributes.get('TYPE') === 'AUDIO' && attributes.get('GROUP-ID') === group);
  const chosen = renditions.find(({ attributes }) => attributes.get('DEFAULT') === 'YES') ?? renditions[0];
  const value = chosen?.attributes.get('URI');
  return chosen === undefined || value === undefined ? null : { value, number: chosen.number };
}

function trackOf(lines: readonly HlsLine[], base: string, resolve: Resolve): Track {
  if (!lines.some(({ tag }) => tag === 'EXT-X-ENDLIST')) throw playlistProblem('has no end (#EXT-X-ENDLIST), so it is live or still being recorded');
  const parts = new HlsParts(base, resolve);
  for (const line of lines) parts.read(line);
  return parts.track();
}

const unsupported: Readonly<Record<string, string>> = {
  'EXT-X-DEFINE': 'uses variables',
  'EXT-X-I-FRAMES-ONLY': 'contains only key frames',
  'EXT-X-GAP': 'marks segments as missing',
};

function refuseUnsupported(lines: readonly HlsLine[]): void {
  for (const line of lines) {
    const { tag, number } = line;
    if (tag === null) continue;
    const what = unsupported[tag];
    if (what !== undefined) throw playlistProblem(`${what} in line ${number} (#${tag})`);
    if (tag !== 'EXT-X-KEY' && tag !== 'EXT-X-SESSION-KEY') continue;
    const method = parseAttributes(line).get('METHOD') ?? 'unknown';
    if (method !== 'NONE') throw playlistProblem(`is encrypted with the method ${method.slice(0, 40)} in line ${number}, and Vouch does not decrypt segments`);
  }
}

class HlsParts {
  private readonly base: string;
  private readonly resolve: Resolve;
  private readonly parts: Part[] = [];
  private seconds = 0;
  /** Length of the next segment, seconds; null before its #EXTINF. */
  private next: number | null = null;
  private range: { length: number; from: number | null } | null = null;
  /** The initialization of the segments, as text. */
  private map: string | null = null;
  private segments = 0;

  constructor(base: string, resolve: Resolve) {
    this.base = base;
    this.resolve = resolve;
  }

  read(line: HlsLine): void {
    const { tag, value, number } = line;
    if (tag === null) this.addSegment(line);
    else if (tag === 'EXTINF') {
      this.next = Number(/^(\d+(?:\.\d+)?)\s*(?:,|$)/.exec(value)?.[1] ?? Number.NaN);
      if (!Number.isFinite(this.next)) throw playlistProblem(`has a segment without length in line ${number} (#EXTINF)`);
    } else if (tag === 'EXT-X-BYTERANGE') this.range = rangeOf(value, number);
    else if (tag === 'EXT-X-MAP') this.addMap(line);
    else if (tag === 'EXT-X-DISCONTINUITY' && this.segments > 0) {
      throw playlistProblem(`joins several recordings, for example advertisements, in line ${number} (#EXT-X-DISCONTINUITY)`);
    }
  }

  track(): Track {
    if (this.segments === 0) throw playlistProblem('has no segments');
    return { parts: this.parts, seconds: this.seconds };
  }

  private addSegment({ value, number }: HlsLine): void {
    if (this.next === null) throw playlistProblem(`has no length (#EXTINF) before the address in line ${number}`);
    if (this.parts.length === maxParts) throw playlistProblem(`has more than ${maxParts} segments`);
    const url = this.resolve(value, this.base, `line ${number}`);
    this.parts.push({ url, range: this.range === null ? null : { length: this.range.length, from: this.range.from ?? this.endOf(url, number) } });
    this.segments += 1;
    this.seconds += this.next;
    this.next = null;
    this.range = null;
  }

  /** A range without offset begins where the range of the segment before ends. */
  private endOf(url: string, number: number): number {
    const before = this.parts.at(-1);
    if (before === undefined || before.url !== url || before.range === null) throw playlistProblem(`has a byte range without offset for the address in line ${number}`);
    return before.range.from + before.range.length;
  }

  private addMap(line: HlsLine): void {
    const { number } = line;
    if (line.value === this.map) return;
    if (this.segments > 0) throw playlistProblem(`changes the initialization of its segments in line ${number} (#EXT-X-MAP)`);
    this.map = line.value;
    const attributes = parseAttributes(line);
    const [address, bytes] = [attributes.get('URI'), attributes.get('BYTERANGE')];
    if (address === undefined) throw playlistProblem(`has an initialization without address in line ${number} (#EXT-X-MAP)`);
    const range = bytes === undefined ? null : rangeOf(bytes, number);
    this.parts.push({ url: this.resolve(address, this.base, `line ${number}`), range: range === null ? null : { length: range.length, from: range.from ?? 0 } });
  }
}

function rangeOf(text: string, number: number): { length: number; from: number | null } {
  const [, length, from] = /^(\d{1,15})(?:@(\d{1,15}))?\s*$/.exec(text) ?? [];
  if (length === undefined) throw playlistProblem(`has a byte range that cannot be read in line ${number}`);
  return { length: Number(length), from: from === undefined ? null : Number(from) };
}
