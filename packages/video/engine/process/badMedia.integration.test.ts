import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingFfmpeg } from '../testing/installedFfmpeg.ts';
import { aviOfPictures, blankPng, replaced, withMatroskaDuration, withoutMatroskaDuration } from '../testing/clips/attacks.ts';
import { corrupted, truncated } from '../testing/clips/damage.ts';
import type { FixtureSpec } from '../testing/clips/fixtureSpec.ts';
import { makeFixture } from '../testing/clips/makeFixture.ts';
import { testLimits } from '../testing/mediaSuite/mediaUnderTest.ts';
import { EngineProcess } from './engineProcess.ts';

const missing = await missingFfmpeg();
const small: Partial<FixtureSpec> = { width: 96, height: 54, seconds: 2, sound: null, gop: { frames: 10, fixed: true } };
let folder: string;

beforeAll(() => { folder = mkdtempSync(join(tmpdir(), 'vouch-bad-')); });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixture = async (spec: Partial<FixtureSpec> = {}): Promise<Buffer> => readFileSync(await makeFixture({ ...small, ...spec }));

/** Files that the probe rejects without decoding. */
const refused: [string, string, RegExp, () => Promise<Buffer | string> | Buffer | string][] = [
  ['an empty file', 'media-empty', /is empty/, () => ''],
  ['three bytes', 'not-media', /known media container/, () => '\0\0\x01'],
  ['a text', 'not-media', /a text/, () => 'Not Found\n'],
  ['a web page', 'not-media', /a web page/, () => '<!doctype html><title>Player</title><video src=film.mp4>'],
  ['a script of FFmpeg that names a neighbour', 'playlist-refused', /ffconcat/, () => 'ffconcat version 1.0\nfile neighbour.mp4\n'],
  ['a playlist of local files', 'playlist-refused', /HLS/, () => '#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'],
  ['a playlist of addresses of this machine', 'playlist-refused', /HLS/, () => '#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:22/\n#EXT-X-ENDLIST\n'],
  ['a live playlist', 'playlist-refused', /HLS/, () => '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:10,\nseven.ts\n'],
  ['a picture of 12,000²', 'not-media', /PNG/, () => blankPng(12_000)],
  ['pictures of 16,384²', 'picture-too-large', /pixels/, () => aviOfPictures([blankPng(16_384)], 16_384)],
  ['a song with a cover', 'no-video-stream', /a cover image, but no video stream/, () => fixture({ codec: null, cover: true, sound: { from: 0, to: Infinity, part: false } })],
  ['sound alone', 'no-video-stream', /no video stream/, () => fixture({ codec: null, sound: { from: 0, to: Infinity, part: false } })],
  ['30 hours by its header', 'media-too-long', /108000 s/, async () => withMatroskaDuration(await fixture({ container: 'mkv' }), 108e6)],
  ['a codec that nobody knows, in mkv', 'unsupported-codec', /codec/, async () => replaced(await fixture({ container: 'mkv' }), 'V_MPEG4/ISO/AVC', 'V_XPEG4/ISO/AVC')],
  ['a codec that nobody knows, in mp4', 'unsupported-codec', /codec/, async () => replaced(await fixture(), 'avc1\0\0\0\0\0\0', 'zzz1\0\0\0\0\0\0')],
  ['half a file whose index was at its end', 'damaged-media', /not a readable mp4/, async () => readFileSync(truncated(await makeFixture(small), 0.5))],
];

/** Damaged files whose readable part is summarized. */
const accepted: [string, string[], () => Promise<string | Buffer> | string | Buffer][] = [
  ['half a second', ['shorter-than-duration'], () => makeFixture({ ...small, seconds: 0.5 })],
  ['half a file whose index was at its beginning', ['ends-early', 'damaged-pictures', 'shorter-than-duration'], async () => truncated(await makeFixture({ ...small, seconds: 8, indexFirst: true }), 0.5)],
  ['half a Matroska file', ['ends-early', 'damaged-pictures', 'shorter-than-duration'], async () => truncated(await makeFixture({ ...small, seconds: 8, container: 'mkv' }), 0.5)],
  ['no length in the header', ['shorter-than-duration'], async () => withoutMatroskaDuration(await fixture({ container: 'mkv' }))],
  ['damaged pictures in the middle', ['damaged-pictures', 'shorter-than-duration'], async () => corrupted(await makeFixture({ ...small, container: 'mkv' }))],
];

function describeBadMedia(title: string, ffmpegPath: string | null): void {
  describe(title, () => {
    const cancel = new AbortController();
    let engine: EngineProcess;
    let written = 0;
    beforeAll(() => {
      engine = new EngineProcess({
        setup: { ffmpegPath, limits: { ...testLimits, memoryBytes: 400e6, threads: 1 }, maxSeconds: 28_800 }, signal: cancel.signal, timers: systemInterfaces.timers, wallMs: 600_000,
      });
    });
    afterAll(() => engine.stopped());

    const place = (content: Buffer | string): string => {
      written += 1;
      const path = join(folder, `${title.length}-${written}.mp4`);
      writeFileSync(path, content, 'latin1');
      return path;
    };

    it.each(refused)('%s is refused: %s', async (_name, code, sentence, make) => {
      const error: unknown = await engine.call('probe', { path: place(await make()) }).catch((reason: unknown) => reason);
      if (!(error instanceof Problem)) throw new Error(`no problem, but ${JSON.stringify(error)}`);
      expect([error.code, error.detail]).toEqual([code, expect.stringMatching(sentence)]);
      expect(error.detail).not.toContain(folder);
    });

    it('pictures of 12,000² whose container says 64² are refused before they take more memory than a run has', async () => {
      const picture = blankPng(12_000);
      await expect(engine.call('probe', { path: place(aviOfPictures([picture, picture], 64)) })).rejects.toMatchObject({ code: 'picture-too-large' });
    });

    it('one picture is too short', async () => {
      const path = await makeFixture({ ...small, seconds: 0.04 });
      const info = await engine.call('probe', { path });
      await expect(engine.call('analyse', { path, info, tier: 'fast', analysisFile: join(folder, 'one') })).rejects.toMatchObject({
        code: 'media-too-short', detail: expect.stringContaining('1 frame') as string,
      });
    });

    it.each(accepted)('%s is summarized, with warnings %j', async (_name, codes, make) => {
      const content = await make();
      const path = typeof content === 'string' ? content : place(content);
      const info = await engine.call('probe', { path });
      expect(info.duration).toBeGreaterThan(0.3);
      const analysisFile = join(folder, `${written}.analysis`);
      const analysed = await engine.call('analyse', { path, info, tier: 'accurate', analysisFile });
      const selected = await engine.call('select', { path, analysisFile, options: { duration: 30 }, cues: [] });
      expect([...analysed.warnings, ...selected.warnings].map(({ code }) => code)).toEqual(codes);
      for (const { detail } of [...analysed.warnings, ...selected.warnings]) expect(detail.length).toBeGreaterThan(30);
      const last = Math.max(...selected.segments.map(({ end }) => end));
      expect(selected.segments[0]?.start).toBeLessThan(0.1);
      // The record must not promise more than the part with pictures.
      if (codes.includes('ends-early')) expect([last > 2, last < 6]).toEqual([true, true]);
    });

    it('the same process has answered all of it', async () => {
      expect((await engine.call('probe', { path: await makeFixture(small) })).video.codec).toBe('h264');
    });
  });
}

describeBadMedia('bad media with the libraries from npm', 'none');
describe.skipIf(missing !== null)(`an installed ffmpeg${missing === null ? '' : ` (${missing})`}`, () => describeBadMedia('bad media', null));
