import { expect, it } from 'vitest';
import { mediaErrors } from '../mediaErrors.ts';
import { testAnalysis } from '../testing/testAnalysis.ts';
import { readSubtitles } from './readSubtitles.ts';

const subtitles = [{ stream: 2, codec: 'subrip', language: 'eng' }, { stream: 3, codec: 'ass', language: 'ger' }, { stream: 4, codec: 'ass', language: null }];
const info = { ...testAnalysis([{ seconds: 2, look: 0 }]).info, subtitles };
const backend = { subtitles: async ({ stream, codec }: { stream: number; codec: string }) => `${stream} ${codec}` };
const common = { backend, path: 'film.mkv', info, signal: new AbortController().signal };

it.each([[null, '2 subrip'], ['de', '3 ass'], ['de-AT', '3 ass'], ['deu', '3 ass'], ['EN', '2 subrip']])('language %s gives %s', async (language, text) => {
  expect(await readSubtitles({ ...common, language })).toEqual({ text, warnings: [] });
});

it('a language that the file does not have gives none, with a warning that lists the tracks', async () => {
  const { text, warnings } = await readSubtitles({ ...common, language: 'fr' });
  expect(text).toBe('');
  expect(warnings).toMatchObject([{ code: 'subtitles-not-found', detail: expect.stringContaining('eng (subrip), ger (ass), unknown language (ass)') as string }]);
});

it('a fault of the stream costs the subtitles and not the preview', async () => {
  const broken = { subtitles: () => Promise.reject(mediaErrors.problem('damaged-media', 'film.mkv has subtitles that cannot be read.')) };
  expect(await readSubtitles({ ...common, backend: broken, language: null })).toMatchObject({ text: '', warnings: [{ code: 'subtitles-unavailable' }] });
});
