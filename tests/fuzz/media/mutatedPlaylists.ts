import { Problem } from '@vouch/platform/errors/problem';
import { checkUrl } from '@vouch/platform/outbound/guard';
import { seededRandom } from '@vouch/platform/process/seededRandom';
import { parseHls } from '../../../packages/video/download/playlists/parseHls.ts';
import { parseMpd } from '../../../packages/video/download/playlists/parseMpd.ts';
import { maxParts, type Resolve } from '../../../packages/video/download/playlists/playlist.ts';
import { mutateMedia } from './mutateMedia.ts';
import type { FileEnd } from './mutatedFiles.ts';

const base = 'https://films.example/a/film';
const hls = (...lines: string[]): string => ['#EXTM3U', '#EXT-X-VERSION:7', ...lines, ''].join('\n');
const mpd = (inside: string): string => '<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1M40.5S"><Period>'
  + `<AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="800000" width="640" height="360">${inside}</Representation></AdaptationSet>`
  + `<AdaptationSet mimeType="audio/mp4"><Representation id="2" bandwidth="128000">${inside}</Representation></AdaptationSet></Period></MPD>\n`;

const bases: readonly string[] = [
  hls('#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Sound",DEFAULT=YES,URI="sound.m3u8"', '#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360,CODECS="avc1.64001f",AUDIO="a"', 'small.m3u8',
    '#EXT-X-STREAM-INF:BANDWIDTH=5000000,RESOLUTION=1920x1080,AUDIO="a"', 'full.m3u8'),
  hls('#EXT-X-TARGETDURATION:4', '#EXT-X-MAP:URI="init.mp4",BYTERANGE="836@0"', '#EXTINF:4.000,', '#EXT-X-BYTERANGE:1000@836', 'one.mp4', '#EXTINF:4.000,', '#EXT-X-BYTERANGE:1000', 'one.mp4', '#EXT-X-ENDLIST'),
  hls('#EXT-X-TARGETDURATION:4', ...Array.from({ length: 20 }, (_, n) => `#EXTINF:3.96,\nhttps://cdn.example/film/${n}.ts`), '#EXT-X-ENDLIST'),
  mpd('<SegmentTemplate timescale="1000" duration="4000" startNumber="1" media="$RepresentationID$/$Number%05d$.m4s" initialization="$RepresentationID$/init.mp4"/>'),
  mpd('<SegmentTemplate timescale="1000" media="$Time$.m4s"><SegmentTimeline><S t="0" d="4000" r="20"/><S d="2000" r="-1"/></SegmentTimeline></SegmentTemplate>'),
  mpd('<BaseURL>one.mp4</BaseURL><SegmentList><Initialization range="0-835"/><SegmentURL mediaRange="836-61712"/><SegmentURL mediaRange="61713-130728"/></SegmentList>'),
];

const codes = new Set(['playlist-refused', 'no-video-stream', 'address-refused']);

/** Parses mutated playlists. The end `summarized` means that the parser lists the URLs of a playlist, and that the outbound guard allows each of them. */
export function parseMutated(seeds: readonly number[]): FileEnd[] {
  return seeds.map((seed): FileEnd => {
    const text = mutate(bases[seed % bases.length]!, seed);
    const allowed = new Set<string>();
    const resolve: Resolve = (address, from) => {
      const { href } = checkUrl(new URL(address, from).href, false).url;
      allowed.add(href);
      return href;
    };
    try {
      const parts = partsOf(text, (address, from, place) => (URL.canParse(address, from) ? resolve(address, from, place) : base));
      const strays = parts.filter((url) => !allowed.has(url) && url !== base);
      if (strays.length > 0 || parts.length > 2 * maxParts + 2) return { seed, end: 'fault', detail: strays[0] ?? `${parts.length} parts` };
      return { seed, end: 'summarized', detail: '' };
    } catch (error) {
      const known = error instanceof Problem && codes.has(error.code);
      return { seed, end: known ? 'refused' : 'fault', detail: error instanceof Problem ? error.code : String(error) };
    }
  });
}

/** Words that a playlist may contain where it should not, and numbers that break arithmetic. */
const strangers = [
  'file:///etc/passwd', 'http://127.0.0.1/', '//169.254.169.254/x', 'ftp://films.example/', 'data:,x', '', '0', '-1', '1e9', '4294967296', '999999999999999', 'NaN', '"', ',', '=', '<', '/>', '&amp;', '&x;', '$Time$',
  'dynamic', 'METHOD=AES-128', 'r="-1"', '\n#EXT-X-DISCONTINUITY\n', '\n#EXT-X-ENDLIST\n', '\n#EXTM3U\n',
];

/** Every third seed changes bytes; the others change words, which reaches beyond the first line. */
function mutate(text: string, seed: number): string {
  if (seed % 3 === 0) return mutateMedia(Buffer.from(text), seed).bytes.toString('utf8');
  const { below, pick } = seededRandom(seed);
  const words = text.split(/(?<=[\s,:="<>@/])/);
  for (let count = 1 + below(3); count > 0; count -= 1) {
    const at = below(words.length);
    const change = below(4);
    if (change === 0) words.splice(at, 1);
    else if (change === 1) words.splice(at, 0, pick(words));
    else words[at] = pick(change === 2 ? strangers : words);
  }
  return words.join('');
}

function partsOf(text: string, resolve: Resolve): string[] {
  if (!text.startsWith('#EXTM3U')) {
    const { video, audio } = parseMpd(text, base, resolve);
    return [...video.parts, ...(audio?.parts ?? [])].map(({ url }) => url);
  }
  const parsed = parseHls(text, base, resolve);
  if ('parts' in parsed) return parsed.parts.map(({ url }) => url);
  return [parsed.video, ...(parsed.audio === null ? [] : [parsed.audio])].map(({ url }) => url);
}
