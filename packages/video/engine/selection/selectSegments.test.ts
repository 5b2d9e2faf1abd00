import { describe, expect, it } from 'vitest';
import { cellOf } from '../timeline/measureMotion.ts';
import { importanceOf, scoreOf, termNames, weighTerms } from './scoreTerms.ts';
import { lengthOf, overlapOf, type Range } from './range.ts';
import { selectSegments, timelineOf } from './selectSegments.ts';
import { settleOptions } from './settleOptions.ts';
import { soundStep } from '../sound/soundTrack.ts';
import { testAnalysis, type TestScene } from '../testing/testAnalysis.ts';

/** A video of two minutes with four recurring scenes, a loud moment, a moving moment, and black at the beginning. */
const scenes: TestScene[] = [
  { seconds: 4, look: 0, black: true },
  { seconds: 12, look: 1 },
  { seconds: 14, look: 2, event: { at: 6, seconds: 3, motion: 12 } },
  { seconds: 12, look: 3 },
  { seconds: 15, look: 1, event: { at: 7, seconds: 3, loudness: -12 } },
  { seconds: 13, look: 4, talk: true },
  { seconds: 12, look: 2 },
  { seconds: 18, look: 3 },
  { seconds: 20, look: 1 },
];
const analysis = testAnalysis(scenes);
const loudMoment = { start: 49, end: 52 };
const movingMoment = { start: 22, end: 25 };
const talk = { start: 57, end: 70 };
const black = { start: 0, end: 4 };

const shown = (segments: readonly Range[], range: Range): number => segments.reduce((sum, segment) => sum + overlapOf(segment, range), 0);

/** Words of the synthetic talk: one word of 0.4 s every 0.6 s. */
function cutsWord(time: number): boolean {
  const local = time - talk.start;
  return local > 0.03 && time < talk.end - 0.03 && local % 0.6 > 0.03 && local % 0.6 < 0.37;
}

describe('a preview', () => {
  it('shows the loud and the moving moment, and no black', () => {
    const { segments } = selectSegments(analysis, { duration: 20 });
    expect(shown(segments, loudMoment)).toBeGreaterThan(2);
    expect(shown(segments, movingMoment)).toBeGreaterThan(2);
    expect(shown(segments, black)).toBe(0);
  });

  it('meets the requested length, also where nearly all of the video is needed', () => {
    for (const duration of [2, 5, 10, 20, 30, 45, 60, 90, 110, 115]) {
      const length = lengthOf(selectSegments(analysis, { duration }).segments);
      expect(Math.abs(length - duration), `${duration} s requested, ${length} s chosen`).toBeLessThanOrEqual(0.5);
    }
  });

  it('shows a quiet moment that the query asks for, says so, and warns of a query without effect', () => {
    const cues = [{ start: 110, end: 112, text: 'And now the interview' }, { start: 20, end: 22, text: 'Nothing of interest' }];
    const asked = { start: 108, end: 114 };
    expect(shown(selectSegments(analysis, { duration: 6 }, cues).segments, asked)).toBe(0);
    const { segments, warnings } = selectSegments(analysis, { duration: 6, query: 'interviews' }, cues);
    const found = segments.find((segment) => overlapOf(segment, asked) > 0);
    expect(found?.reasons[0]).toMatchObject({ kind: 'query', at: 110, text: 'And now the interview' });
    expect(warnings).toEqual([]);
    for (const [query, given, cause] of [['submarine', cues, 'none of the 2 subtitles'], ['interview', [], 'has no subtitles']] as const) {
      expect(selectSegments(analysis, { duration: 6, query }, given).warnings).toMatchObject([{ code: 'query-without-match', detail: expect.stringContaining(cause) as string }]);
    }
  });

  it('follows the weights', () => {
    const still = selectSegments(analysis, { duration: 8, weights: { motion: 0, sound: 3, speech: 0 }, diversity: 0 }).segments;
    expect(shown(still, loudMoment)).toBeGreaterThan(2);
    expect(shown(still, movingMoment)).toBe(0);
    const silent = selectSegments(analysis, { duration: 8, weights: { motion: 3, sound: 0, speech: 0 }, diversity: 0 }).segments;
    expect(shown(silent, movingMoment)).toBeGreaterThan(2);
    expect(shown(silent, loudMoment)).toBe(0);
    const spoken = selectSegments(analysis, { duration: 8, weights: { motion: 0, sound: 0, speech: 3 }, diversity: 0 }).segments;
    expect(shown(spoken, talk)).toBeGreaterThan(6);
  });

  it('shows more places with more diversity', () => {
    const places = (diversity: number): number => {
      const { segments } = selectSegments(analysis, { duration: 15, diversity });
      return new Set(segments.flatMap((segment) => scenes.filter((_, index) => overlapOf(segment, sceneRange(index)) >= 1).map((scene) => scene.look))).size;
    };
    expect(places(1)).toBe(4);
    expect(places(0)).toBeLessThanOrEqual(places(1));
  });

  it('never cuts a word', () => {
    for (const duration of [6, 10, 20, 30, 40]) {
      for (const segment of selectSegments(analysis, { duration, weights: { speech: 5 } }).segments) {
        expect([segment.start, segment.end].filter(cutsWord), `${duration} s`).toEqual([]);
      }
    }
  });

  it('leaves out a sentence rather than cutting one at a stop between two words', () => {
    // Sentences of 3.2 to 4.8 s with a stop of 0.24 s in each, and pauses of 0.6 s between them.
    const sentences = Array.from({ length: 24 }, (_, index) => 3.2 + 0.4 * ((index * 7) % 5));
    const starts = sentences.map((_, index) => sentences.slice(0, index).reduce((sum, length) => sum + length + 0.6, 0.6));
    const speaks = (time: number): boolean => starts.some((start, index) => time > start && time < start + sentences[index]! && Math.abs(time - start - 0.6 * sentences[index]!) > 0.12);
    const slides = testAnalysis(Array.from({ length: 12 }, (_, index) => ({ seconds: index === 11 ? 12 : (starts[2 * index + 2] ?? 0) - 0.3 - (index === 0 ? 0 : starts[2 * index]! - 0.3), look: index + 1, page: index + 1 })));
    const sound = { ...slides.sound!, speech: slides.sound!.speech.map((_, index) => (speaks((index + 0.5) * soundStep) ? 0.9 : 0)), loudness: slides.sound!.loudness.map((_, index) => (speaks((index + 0.5) * soundStep) ? -20 : -60)) };
    const cuts = (time: number): boolean => starts.some((start, index) => time > start + 0.1 && time < start + sentences[index]! - 0.1);
    for (let duration = 16; duration <= 40; duration += 2) {
      const { segments } = selectSegments({ ...slides, sound }, { duration });
      expect(segments.flatMap(({ start, end }) => [start, end]).filter(cuts), `${duration} s`).toEqual([]);
      expect(Math.abs(lengthOf(segments) - duration), `${duration} s`).toBeLessThan(0.5);
    }
  });

  it('is the same every time, and for a copy of the analysis', () => {
    const first = selectSegments(analysis, { duration: 20, seed: 7 });
    expect(selectSegments(analysis, { duration: 20, seed: 7 })).toEqual(first);
    expect(selectSegments(testAnalysis(scenes), { duration: 20, seed: 7 })).toEqual(first);
  });

  it('stays as it is when the silence around the events grows by a third of a decibel', () => {
    const sound = analysis.sound!;
    const louder = { ...analysis, sound: { ...sound, loudness: sound.loudness.map((level) => level + 0.3) } };
    const spans = (list: readonly Range[]): [number, number][] => list.map(({ start, end }) => [start, end]);
    expect(spans(selectSegments(louder, { duration: 20 }).segments)).toEqual(spans(selectSegments(analysis, { duration: 20 }).segments));
  });
});

describe('a segment', () => {
  it('never ends just after a cut, never starts just before a cut, and shows no shot only in passing', () => {
    const cutting = testAnalysis([
      { seconds: 5, look: 1, talk: true }, { seconds: 4.3, look: 2, event: { at: 1, seconds: 2, loudness: -15 } }, { seconds: 0.4, look: 3 }, { seconds: 6, look: 4, talk: true },
      { seconds: 2.2, look: 5, motion: 9 }, { seconds: 1.4, look: 6 }, { seconds: 7, look: 7, event: { at: 0, seconds: 2, motion: 12 } }, { seconds: 9, look: 8 },
    ]);
    for (const duration of [4, 7, 10, 14, 20]) {
      for (const { start, end } of selectSegments(cutting, { duration }).segments) {
        for (const shot of cutting.shots) {
          if (shot.start > 0) expect(end > shot.start + 0.03 && end < shot.start + 1 - 0.03, `${start}–${end} ends after ${shot.start}`).toBe(false);
          if (shot !== cutting.shots.at(-1)) expect(start < shot.end - 0.03 && start > shot.end - 1 + 0.03 && start > shot.start + 0.03 && end > shot.end + 0.03, `${start}–${end} starts before ${shot.end}`).toBe(false);
        }
        // The shot of 0.4 s from 9.3 s.
        expect(Math.abs(start - 9.3) < 0.03 || Math.abs(end - 9.7) < 0.03, `${start}–${end}`).toBe(false);
      }
    }
  });
});

describe('reasons', () => {
  const { segments } = selectSegments(analysis, { duration: 20 });

  it('name what happens', () => {
    const reasonOf = (moment: Range): string => segments.find((segment) => overlapOf(segment, moment) > 1)!.reasons[0]!.kind;
    expect(reasonOf(loudMoment)).toBe('sound');
    expect(reasonOf(movingMoment)).toBe('motion');
    const loudest = segments.find((segment) => overlapOf(segment, loudMoment) > 1)!.reasons[0]!;
    expect('at' in loudest && loudest.at).toBeGreaterThanOrEqual(49);
    expect('at' in loudest && loudest.at).toBeLessThan(52);
  });

  it('have shares that are what the score loses without the term', () => {
    const timeline = timelineOf(analysis);
    const terms = weighTerms(timeline, { text: new Float32Array(timeline.cells), query: new Float32Array(timeline.cells) }, settleOptions({}, 120).weights);
    for (const segment of segments) {
      const importance = (without?: string): number => {
        let sum = 0;
        let seconds = 0;
        for (let time = segment.start + 0.005; time < segment.end; time += 0.01) {
          const cell = cellOf(time, timeline.cells);
          sum += importanceOf(termNames.filter((name) => name !== without).reduce((total, name) => total + terms[name][cell]!, 0));
          seconds++;
        }
        return sum / seconds;
      };
      const newness = segment.reasons.find((reason) => reason.kind === 'diversity');
      const fresh = newness !== undefined && 'value' in newness ? newness.value : 0;
      expect(segment.score).toBeCloseTo(scoreOf(importance(), fresh, 0.5), 2);
      for (const reason of segment.reasons) {
        const rest = reason.kind === 'diversity' ? scoreOf(importance(), 0, 0.5) : scoreOf(importance(reason.kind), fresh, 0.5);
        expect(reason.share).toBeCloseTo((segment.score - rest) / segment.score, 1);
      }
      expect(segment.reasons.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-9);
    }
  });

  it('of a segment that is the whole preview name nothing of others', () => {
    const { segments: only } = selectSegments(analysis, { duration: 5, max_segments: 1 });
    expect(only).toHaveLength(1);
    expect(only[0]!.reasons.length).toBeGreaterThan(0);
    expect(only[0]!.reasons.map(({ kind }) => kind)).not.toContain('diversity');
  });
});

describe('rejected moments', () => {
  it('say of black that only its key frames were seen, where the analysis saw no others', () => {
    const { rejected } = selectSegments({ ...analysis, tier: 'fast' }, { duration: 4 });
    const details = rejected.filter(({ why }) => why === 'black').map(({ detail }) => detail);
    for (const detail of details) expect(detail).toMatch(/a black part \(\d:[\d.]+–\d:[\d.]+\); the fast analysis decoded only the key frames of these [\d.]+ s, and all of them are black\.$/);
    expect(details.length).toBeGreaterThan(0);
  });

  it('are said to have sound that resembles speech, which may be music, where no segment would spare it', () => {
    const long = testAnalysis([{ seconds: 20, look: 1 }, { seconds: 30, look: 2, talk: true }, { seconds: 20, look: 3 }]);
    const { rejected } = selectSegments({ ...long, sound: { ...long.sound!, speech: long.sound!.speech.map((_, index) => (index >= 1000 && index < 2500 ? 0.9 : 0)) } }, { duration: 6, max_segment_duration: 4 });
    const details = rejected.filter(({ why }) => why === 'speech').map(({ detail }) => detail);
    expect(details.length).toBeGreaterThan(0);
    for (const detail of details) expect(detail).toMatch(/^Around [\d:.]+–[\d:.]+, sound that resembles speech has no pause: every segment of at most 4\.0 s would cut it\.$/);
  });

  it('are not said to find the preview full where it is shorter than the requested length', () => {
    const { rejected, warnings } = selectSegments(analysis, { duration: 30, max_segments: 1, include_ranges: [{ start: 22, end: 26 }] });
    expect(warnings.map(({ code }) => code)).toEqual(['less-than-duration']);
    const details = rejected.filter(({ why }) => why === 'budget').map(({ detail }) => detail);
    expect(details.length).toBeGreaterThan(0);
    for (const detail of details) expect(detail).toMatch(/^\d:[\d.]+–\d:[\d.]+ did not fit: next to the other segments, no segment of [\d.]+ to [\d.]+ s satisfies the options\.$/);
  });

  it('say of a loud part that is nearly black compared with the video that it is dim', () => {
    const darkened = (values: Float32Array, value: number): Float32Array => values.map((given, index) => (analysis.frames.times[index]! >= 42 && analysis.frames.times[index]! < 57 ? value : given));
    const frames = { ...analysis.frames, brightness: darkened(analysis.frames.brightness, 34), contrast: darkened(analysis.frames.contrast, 7) };
    const { segments, rejected } = selectSegments({ ...analysis, frames }, { duration: 20 });
    expect(shown(segments, loudMoment)).toBe(0);
    expect(rejected.filter(({ why }) => why === 'dim').map(({ detail }) => detail)).toContainEqual(expect.stringMatching(/a part that is nearly black compared with the rest of the video \(0:42\.0–0:57\.0\)\.$/));
    const { rejected: unsure } = selectSegments({ ...analysis, frames, tier: 'fast' }, { duration: 20 });
    expect(unsure.filter(({ why }) => why === 'dim').map(({ detail }) => detail)).toContainEqual(expect.stringMatching(/\(0:42\.0–0:57\.0\); the fast analysis judged these 15\.0 s by their key frames alone\.$/));
  });

  it('are not said to have speech where segments find no place to start or end, as in a long transition', () => {
    const quiet: TestScene[] = [{ seconds: 20, look: 1 }, { seconds: 12, look: 2, event: { at: 5, seconds: 3, loudness: -12 } }, { seconds: 20, look: 3 }];
    const cut = testAnalysis(quiet);
    const [first, middle, last] = cut.shots;
    const { rejected } = selectSegments({ ...cut, shots: [first!, { start: middle!.end - 0.5, end: middle!.end }, last!], transitions: [{ kind: 'dissolve', start: 20, end: 31.5, confidence: 1 }] }, { duration: 8, max_segment_duration: 5 });
    expect(rejected.filter(({ why }) => why === 'speech')).toEqual([]);
    const loud = rejected.find((moment) => overlapOf(moment, { start: 25, end: 28 }) > 1);
    expect(loud).toMatchObject({ why: 'cuts', detail: expect.stringMatching(/^Around [\d.]+–[\d.]+ s, every segment of 1\.5 to 5\.0 s would start or end in a transition, next to a cut, or in a part that is left out\.$/) as string });
  });

  it('name the lowest score of a full preview, and say that the total decides where their own score is higher', () => {
    const { rejected, segments } = selectSegments(analysis, { duration: 40 });
    const lowest = Math.min(...segments.map(({ score }) => score));
    const full = rejected.filter(({ why }) => why === 'budget');
    expect(full.length).toBeGreaterThan(0);
    for (const { score, detail } of full) {
      expect(detail).toMatch(Number(score.toFixed(2)) > Number(lowest.toFixed(2)) ? /has (\d\d\.\d of )?the requested 40\.0 s\. Segments are chosen for the highest total, so one of them may have a lower score \(\d\.\d\d\)\.$/ : /has (\d\d\.\d of )?the requested 40\.0 s, and each of its segments has at least the score \d\.\d\d\.$/);
    }
  });

  it('state the length of the preview, and speak of one segment where it has one', () => {
    const { segments, rejected } = selectSegments(analysis, { duration: 4, min_segment_duration: 3, max_segments: 1 });
    expect(segments).toHaveLength(1);
    const length = lengthOf(segments);
    const has = Math.abs(length - 4) < 0.05 ? 'the requested 4.0 s' : `${length.toFixed(1)} of the requested 4.0 s`;
    const details = rejected.filter(({ why }) => why === 'budget').map(({ detail }) => detail);
    expect(details.length).toBeGreaterThan(0);
    const score = segments[0]!.score.toFixed(2);
    for (const detail of details) {
      expect(detail).toContain(`did not fit: the preview has ${has}`);
      expect(detail).toMatch(new RegExp(`, and its only segment has the score ${score}\\.$|\\. Its only segment was chosen for the highest total, so its score is lower \\(${score}\\)\\.$`));
    }
  });

  it('say why: excluded, black, a budget that is full', () => {
    const { rejected, segments } = selectSegments(analysis, { duration: 4, exclude_ranges: [{ start: 45, end: 55 }] });
    expect(shown(segments, loudMoment)).toBe(0);
    expect(rejected.length).toBeGreaterThan(5);
    expect(rejected.length).toBeLessThanOrEqual(20);
    const loud = rejected.find((moment) => overlapOf(moment, loudMoment) > 1)!;
    expect(loud.why).toBe('excluded');
    expect(loud.detail).toContain('(0:45.0–0:55.0)');
    expect(rejected.some(({ why }) => why === 'budget' || why === 'similar')).toBe(true);
    for (const moment of rejected) if (overlapOf(moment, black) > 2) expect(moment.why).toBe('black');
    for (const { start, end, detail } of rejected) {
      const [fromMinute = 0, fromSecond, toMinute = 0, toSecond] = /\((\d):(\d+\.\d)–(\d):(\d+\.\d)\)/.exec(detail)?.slice(1).map(Number) ?? [];
      if (fromSecond === undefined || toSecond === undefined) continue;
      const [from, to] = [60 * fromMinute + fromSecond, 60 * toMinute + toSecond];
      expect(detail).toContain(start >= from - 0.05 && end <= to + 0.05 ? ' is within ' : ' overlaps ');
      expect(detail).not.toContain('key frames');
    }
  });
});

function sceneRange(index: number): Range {
  const start = scenes.slice(0, index).reduce((sum, scene) => sum + scene.seconds, 0);
  return { start, end: start + scenes[index]!.seconds };
}
