import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import { createOutbound } from '@vouch/platform/outbound/createOutbound';
import type { OutboundHttp } from '@vouch/platform/outbound/outbound';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MediaTestServer } from '../testing/mediaTestServer.ts';
import { downloadVideo, type VideoRequest } from './downloadVideo.ts';

let media: MediaTestServer;
let outbound: OutboundHttp;
let folder: string;

beforeAll(async () => {
  media = await MediaTestServer.start();
  outbound = createOutbound({ allowPrivateAddresses: [media.address], lookup: async () => ['10.0.0.5'] }, systemInterfaces.timers);
  folder = await mkdtemp(join(tmpdir(), 'playlist-'));
});

beforeEach(() => {
  media.calls.length = 0;
  media.files.clear();
});

afterAll(async () => {
  await outbound.close();
  await media.close();
  await rm(folder, { recursive: true });
});

function put(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) media.files.set(path, { content: Buffer.from(text) });
}

function download(path: string, extra: Partial<VideoRequest> = {}) {
  return downloadVideo(outbound, systemInterfaces, {
    url: media.url + path, folder, maxBytes: 100_000, maxSeconds: 600, signal: new AbortController().signal, join: () => Promise.reject(new Error('nothing to join')), ...extra,
  });
}

async function contentOf(path: string, extra: Partial<VideoRequest> = {}): Promise<{ text: string; warnings: string[] }> {
  const fetched = await download(path, extra);
  const text = await readFile(fetched.path, 'utf8');
  await rm(fetched.path);
  expect(await readdir(folder)).toEqual([]);
  return { text, warnings: fetched.warnings.map(({ code, detail }) => `${code}: ${detail}`) };
}

const hls = (...lines: string[]): string => ['#EXTM3U', '#EXT-X-TARGETDURATION:4', ...lines, '#EXT-X-ENDLIST', ''].join('\n');
const segments = (...addresses: string[]): string => hls(...addresses.flatMap((address) => ['#EXTINF:4.0,', address]));
const paths = (): string[] => media.calls.map(({ path }) => path);

describe('the segments of a playlist become one file', () => {
  it('in the order of the playlist, from addresses relative to it, each fetched once', async () => {
    put({ '/a/film.m3u8': segments('0.ts', '../b/1.ts', `${media.url}/c/2.ts?x=1`, '3.ts', '4.ts', '5.ts'), '/a/0.ts': 'zero ', '/b/1.ts': 'one ', '/c/2.ts?x=1': 'two ', '/a/3.ts': 'three ', '/a/4.ts': 'four ', '/a/5.ts': 'five' });
    const heard: number[] = [];
    expect(await contentOf('/a/film.m3u8', { progress: (share) => heard.push(share) })).toEqual({ text: 'zero one two three four five', warnings: [] });
    expect(paths().toSorted()).toEqual(['/a/0.ts', '/a/3.ts', '/a/4.ts', '/a/5.ts', '/a/film.m3u8', '/b/1.ts', '/c/2.ts?x=1']);
    expect(heard.at(-1)).toBe(1);
  });

  it('with their initialization, and with ranges of one file that is fetched once', async () => {
    put({
      '/film.m3u8': hls('#EXT-X-MAP:URI="one.mp4",BYTERANGE="4@0"', '#EXTINF:4,', '#EXT-X-BYTERANGE:3@6', 'one.mp4', '#EXTINF:4,', '#EXT-X-BYTERANGE:2', 'one.mp4'), '/one.mp4': 'init--abcde',
    });
    expect((await contentOf('/film.m3u8')).text).toBe('initabcde');
    expect(media.count('GET', '/one.mp4')).toBe(1);
  });

  it('of the largest variant within 1080 lines, joined with its sound; the choice is said', async () => {
    put({
      '/film.m3u8': hls(
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Other",URI="other.m3u8"', '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Main, too",DEFAULT=YES,URI="sound.m3u8"',
        '#EXT-X-STREAM-INF:BANDWIDTH=100,RESOLUTION=640x360,AUDIO="a"', 'small.m3u8', '#EXT-X-STREAM-INF:BANDWIDTH=5000000,RESOLUTION=1920x1080,CODECS="avc1.64001f,mp4a.40.2",AUDIO="a"', 'full.m3u8',
        '#EXT-X-STREAM-INF:BANDWIDTH=900,RESOLUTION=3840x2160,AUDIO="a"', 'over.m3u8', '#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"', 'sound.m3u8'),
      '/full.m3u8': segments('v.ts'), '/sound.m3u8': segments('a.aac'), '/v.ts': 'pictures', '/a.aac': 'sound',
    });
    const join: VideoRequest['join'] = async ({ video, audio, output }) => {
      await writeFile(output, `${await readFile(video, 'utf8')} with ${await readFile(audio, 'utf8')}`);
      return true;
    };
    expect(await contentOf('/film.m3u8', { join })).toEqual({ text: 'pictures with sound', warnings: [expect.stringMatching(/^playlist-variant: .*3 variants.*1920 × 1080, 5000 kbit/)] });
    const { text, warnings } = await contentOf('/film.m3u8', { join: async () => false });
    expect([text, warnings.some((warning) => warning.startsWith('sound-unreadable'))]).toEqual(['pictures', true]);
  });

  it('of a DASH manifest, with its sound', async () => {
    const set = (type: string, file: string): string => `<AdaptationSet mimeType="${type}/mp4"><Representation bandwidth="1"><BaseURL>${file}</BaseURL></Representation></AdaptationSet>`;
    put({ '/film.mpd': `<?xml version="1.0"?>\n<MPD type="static"><Period>${set('video', 'v.mp4')}${set('audio', 'a.mp4')}</Period></MPD>`, '/v.mp4': 'pictures', '/a.mp4': 'sound' });
    const join: VideoRequest['join'] = async ({ video, audio, output }) => {
      await writeFile(output, `${await readFile(video, 'utf8')}+${await readFile(audio, 'utf8')}`);
      return true;
    };
    expect(await contentOf('/film.mpd', { join })).toEqual({ text: 'pictures+sound', warnings: [] });
  });

  it('although an editor wrote a byte order mark before them', async () => {
    put({ '/film.m3u8': `\uFEFF${hls('#EXT-X-STREAM-INF:BANDWIDTH=1', 'one.m3u8')}`, '/one.m3u8': `\uFEFF${segments('0.ts')}`, '/0.ts': 'zero' });
    expect((await contentOf('/film.m3u8')).text).toBe('zero');
  });

  it('and a file that is no playlist stays what it is', async () => {
    put({ '/film.mp4': 'not #EXTM3U' });
    expect(await contentOf('/film.mp4')).toEqual({ text: 'not #EXTM3U', warnings: [] });
  });
});

describe('a playlist is refused with a reason, and leaves nothing behind', () => {
  const refusal = async (extra: Partial<VideoRequest> = {}): Promise<{ code: string; detail: string }> => {
    const error: unknown = await download('/film.m3u8', extra).catch((failure: unknown) => failure);
    if (!(error instanceof Problem)) throw new Error(`no problem: ${String(error)}`);
    expect(await readdir(folder)).toEqual([]);
    return { code: error.code, detail: error.detail };
  };

  it.each([
    ['file:///etc/passwd', 'leads to file:// (line 6)'],
    ['http://127.0.0.1:1/admin?token=secret', 'leads to http://127.0.0.1:1 (line 6)'],
    ['http://169.254.169.254/latest/meta-data', 'leads to http://169.254.169.254 (line 6)'],
    ['http://[::ffff:127.0.0.1]/', 'leads to http://[::ffff:7f00:1] (line 6)'],
    ['ftp://films.example/1.ts', 'leads to ftp://films.example (line 6)'],
    ['concat:0.ts|/etc/passwd', 'leads to concat:// (line 6)'],
  ])('if it leads to %s, before any segment is fetched', async (address, sentence) => {
    put({ '/film.m3u8': segments('0.ts', address), '/0.ts': 'zero' });
    const { code, detail } = await refusal();
    expect([code, detail]).toEqual(['address-refused', expect.stringContaining(sentence)]);
    expect(detail).not.toMatch(/secret|admin|passwd/);
    expect(paths()).toEqual(['/film.m3u8']);
  });

  it('if a name in it resolves to a private address', async () => {
    put({ '/film.m3u8': segments('0.ts', 'http://inside.example/1.ts'), '/0.ts': 'zero' });
    expect(await refusal()).toEqual({ code: 'address-refused', detail: expect.stringMatching(/^File 2 of 2 .*inside\.example is not allowed: the host resolves to a private/) as string });
  });

  it.each([
    ['live', '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n0.ts\n', 'has no end (#EXT-X-ENDLIST)'],
    ['encrypted', hls('#EXT-X-KEY:METHOD=AES-128,URI="key"', '#EXTINF:4,', '0.ts'), 'is encrypted with the method AES-128 in line 3'],
    ['encrypted in its variants', hls('#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://x"', '#EXT-X-STREAM-INF:BANDWIDTH=1', '0.m3u8'), 'is encrypted with the method SAMPLE-AES'],
    ['of several recordings', hls('#EXTINF:4,', '0.ts', '#EXT-X-DISCONTINUITY', '#EXTINF:4,', '1.ts'), 'in line 5 (#EXT-X-DISCONTINUITY)'],
    ['with variables', hls('#EXT-X-DEFINE:NAME="a",VALUE="b"', '#EXTINF:4,', '0.ts'), 'uses variables'],
    ['of key frames', hls('#EXT-X-I-FRAMES-ONLY', '#EXTINF:4,', '0.ts'), 'contains only key frames'],
    ['with another initialization', hls('#EXT-X-MAP:URI="a"', '#EXTINF:4,', '0.m4s', '#EXT-X-MAP:URI="b"', '#EXTINF:4,', '1.m4s'), 'changes the initialization'],
    ['without lengths', hls('0.ts'), 'has no length (#EXTINF)'],
    ['with a length that is no number', hls('#EXTINF:-1,', '0.ts'), 'without length in line 3'],
    ['with a range from nowhere', hls('#EXTINF:4,', '#EXT-X-BYTERANGE:3', '0.ts'), 'byte range without offset'],
    ['without segments', hls(), 'has no segments'],
    ['with attributes that cannot be read', hls('#EXT-X-KEY:METHOD="NONE', '#EXTINF:4,', '0.ts'), 'cannot be read in line 3 (#EXT-X-KEY)'],
    ['preceded by an empty line', `\n${segments('0.ts')}`, 'does not begin with #EXTM3U'],
    ['with control characters', hls('#EXTINF:4,', '0\0.ts'), 'control character in line 4'],
  ])('if it is %s', async (_name, text, sentence) => {
    put({ '/film.m3u8': text, '/0.ts': 'zero', '/1.ts': 'one' });
    expect(await refusal()).toEqual({ code: 'playlist-refused', detail: expect.stringContaining(sentence) as string });
  });

  it.each<[string, Readonly<Record<string, string>>, Partial<VideoRequest>, string, string]>([
    ['its variant leads to variants again', { '/film.m3u8': hls('#EXT-X-STREAM-INF:BANDWIDTH=1', 'film.m3u8') }, {}, 'playlist-refused', 'another playlist of variants'],
    ['it has only sound', { '/film.m3u8': hls('#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="mp4a.40.2"', '0.m3u8') }, {}, 'no-video-stream', 'only sound'],
    ['it is too long', { '/film.m3u8': segments('0.ts', '1.ts') }, { maxSeconds: 7 }, 'media-too-long', 'has 8 s; the limit is 7 s'],
    ['the playlist of its variant is missing', { '/film.m3u8': hls('#EXT-X-STREAM-INF:BANDWIDTH=1', 'small.m3u8', '#EXT-X-STREAM-INF:BANDWIDTH=2', 'full.m3u8?token=secret') }, {}, 'media-not-found', 'The playlist of the chosen variant (line 6 of the playlist of media_url): '],
    ['the playlist of its sound is missing', { '/film.m3u8': hls('#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO="a"', 'v.m3u8', '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="a.m3u8"'), '/v.m3u8': segments('0.ts'), '/0.ts': 'zero' }, {}, 'media-not-found', 'The playlist of the sound of the chosen variant (line 5 of the playlist of media_url): '],
    ['the playlist of its variant is live', { '/film.m3u8': hls('#EXT-X-STREAM-INF:BANDWIDTH=1', 'small.m3u8'), '/small.m3u8': '#EXTM3U\n#EXTINF:4,\n0.ts\n' }, {}, 'playlist-refused', 'The playlist of the chosen variant (line 4 of the playlist of media_url): '],
    ['a segment is missing', { '/film.m3u8': segments('0.ts', '1.ts'), '/0.ts': 'zero' }, {}, 'media-not-found', 'File 2 of 2 that the playlist of media_url names'],
    ['its segments are too large together', { '/film.m3u8': segments('0.ts', '1.ts'), '/0.ts': 'a'.repeat(600), '/1.ts': 'b'.repeat(600) }, { maxBytes: 1000 }, 'media-too-large', 'more than 1000 bytes'],
    ['its ranges name the same bytes until they are too many', { '/film.m3u8': hls(...Array.from({ length: 3 }, () => '#EXTINF:4,\n#EXT-X-BYTERANGE:400@0\n0.ts')), '/0.ts': 'a'.repeat(400) }, { maxBytes: 1000 }, 'media-too-large', 'more than 1000 bytes'],
    ['it is larger than a playlist may be', { '/film.m3u8': `#EXTM3U\n${' '.repeat(8_388_608)}` }, { maxBytes: 1e8 }, 'playlist-refused', 'the limit is 8388608'],
    ['an address in it is too long', { '/film.m3u8': segments(`${'a'.repeat(4096)}.ts`) }, {}, 'playlist-refused', '(line 4); the limit is 4096'],
    ['a range is outside of its file', { '/film.m3u8': hls('#EXTINF:4,', '#EXT-X-BYTERANGE:9@1', '0.ts'), '/0.ts': 'short' }, {}, 'media-incomplete', '9 bytes from byte 1 on of a file with 5 bytes'],
  ])('if %s', async (_name, files, extra, code, sentence) => {
    put(files);
    expect(await refusal(extra)).toEqual({ code, detail: expect.stringContaining(sentence) as string });
  });

  it('if it is cancelled, with the reason of the signal', async () => {
    put({ '/film.m3u8': segments('0.ts', '1.ts'), '/0.ts': 'zero' });
    media.files.set('/1.ts', { content: Buffer.from('one'), heldAt: 1 });
    const cancel = new AbortController();
    const outcome = download('/film.m3u8', { signal: cancel.signal, progress: () => cancel.abort(new Error('enough')) }).catch((error: unknown) => error);
    expect(await outcome).toEqual(new Error('enough'));
    media.letGo();
    expect(await readdir(folder)).toEqual([]);
  });
});
