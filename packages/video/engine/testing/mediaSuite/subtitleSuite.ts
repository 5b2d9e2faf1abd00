import { describe, expect, it } from 'vitest';
import { parseSubtitles } from '../../selection/subtitles.ts';
import type { FixtureSpec } from '../clips/fixtureSpec.ts';
import { makeFixture } from '../clips/makeFixture.ts';
import { never, type MediaUnderTest } from './mediaUnderTest.ts';

const cues = [{ start: 0.4, end: 0.9, text: 'Good evening' }, { start: 1.2, end: 1.8, text: 'Grüße, <i>all</i>' }];

/** Tests of reading subtitles inside the file. */
export function describeSubtitles(subject: () => MediaUnderTest): void {
  describe('subtitles inside the file', () => {
    it.each([['mp4', ['mov_text']], ['mkv', ['subrip', 'ass']]] as const)('are read with their times and languages, %s: %j', async (container, codecs) => {
      const languages = ['eng', 'ger'];
      const tracks: FixtureSpec['subtitles'] = codecs.map((codec, index) => ({ codec, language: languages[index]!, cues }));
      const path = await makeFixture({ container, subtitles: tracks });
      const { backend } = subject();
      const info = await backend.probe(path, never);
      expect(info.subtitles).toMatchObject(codecs.map((codec, index) => ({ codec, language: languages[index] })));
      for (const { stream, codec } of info.subtitles) {
        const found = parseSubtitles(await backend.subtitles({ path, info, stream, codec, signal: never }));
        expect(found.map(({ text }) => text)).toEqual(['Good evening', 'Grüße, all']);
        for (const [index, { start, end }] of found.entries()) {
          expect(Math.abs(start - cues[index]!.start)).toBeLessThan(0.05);
          expect(Math.abs(end - cues[index]!.end)).toBeLessThan(0.05);
        }
      }
    });
  });
}
