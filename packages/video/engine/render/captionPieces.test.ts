import { expect, it } from 'vitest';
import { captionPieces, describeAss } from './captionPieces.ts';
import { planPreview } from './previewPlan.ts';

const size = { width: 640, height: 360 };
const events = (text: string | undefined): string[] => (text ?? '').split('\n').filter((line) => line.startsWith('Dialogue'));

it('each piece gets the subtitles of its own time, counted from its first frame', () => {
  const frameTimes = Array.from({ length: 1000 }, (_, n) => n / 25);
  const plan = planPreview({ segments: [{ start: 10, end: 12 }, { start: 30, end: 33 }], frameTimes, rate: { numerator: 25, denominator: 1 }, crossfade: 0.4 });
  const { pieces } = captionPieces(plan, [{ start: 11, end: 14, text: 'first' }, { start: 31, end: 32, text: 'second' }, { start: 20, end: 25, text: 'not shown' }], size);
  // The first segment alone, the crossfade, the second segment alone.
  expect(pieces.map(({ captions }) => events(captions))).toEqual([
    ['Dialogue: 0,0:00:01.00,0:00:01.60,Default,first'], ['Dialogue: 0,0:00:00.00,0:00:00.20,Default,first'], ['Dialogue: 0,0:00:00.60,0:00:01.60,Default,second'],
  ]);
  expect(captionPieces(plan, [], size).pieces).toEqual(plan.pieces);
});

it('text cannot command the renderer', () => {
  const [line] = events(describeAss([{ start: 3599.996, end: 3725.5, text: 'a{\\p1}b\\N\nDialogue: c' }], size));
  expect(line).toBe('Dialogue: 0,1:00:00.00,1:02:05.50,Default,a\\{\\\u2060p1\\}b\\\u2060N Dialogue: c');
});

it('lines of a dialogue and text without blanks are broken for the width of the picture', () => {
  const [spoken, japanese] = events(describeAss([
    { start: 0, end: 1, text: '- Are you coming?\n- No {not}.' }, { start: 1, end: 2, text: 'これは非常に長い字幕で空白が全くないので改行されなければなりません' },
  ], { width: 202, height: 360 }));
  expect(spoken).toBe('Dialogue: 0,0:00:00.00,0:00:01.00,Default,- Are you coming?\\N- No \\{not\\}.');
  // Letters are 15 pixels high, and the picture has 178 pixels between its margins.
  expect(Math.max(...japanese!.split(',Default,')[1]!.split('\\N').map(({ length }) => length))).toBeLessThanOrEqual(11);
});
