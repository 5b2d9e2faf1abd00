import { describe, expect, it } from 'vitest';
import { randomSummary, uniformSummary } from './eventsBaselines.ts';
import { drawPictures } from './eventsPictures.ts';
import { meanScores, scoreSummary } from './eventsScore.ts';
import { framesPerSecond, isJunk, writeScript } from './eventsScript.ts';
import { playSound } from './eventsSound.ts';

describe('videos with planted events', () => {
  const script = writeScript(3);

  it('are the same for the same seed and others for another', () => {
    expect(writeScript(3)).toEqual(script);
    expect(writeScript(4)).not.toEqual(script);
  });

  it('have scenes without gaps, and six to nine events inside scenes', () => {
    for (const [index, scene] of script.scenes.entries()) expect(scene.start).toBe(index === 0 ? 0 : script.scenes[index - 1]!.end);
    expect(script.events.length).toBeGreaterThanOrEqual(6);
    expect(script.events.length).toBeLessThanOrEqual(9);
    for (const event of script.events) expect(script.scenes.some((scene) => scene.event === event && event.start > scene.start && event.end < scene.end)).toBe(true);
  });

  it('have as many pictures and samples as their length asks for', () => {
    expect(playSound(script, 1000).length).toBe(Math.round(script.seconds * 1000));
    let pictures = 0;
    for (const picture of drawPictures({ ...script, scenes: script.scenes.slice(0, 3) }, 16, 8)) {
      expect(picture.length).toBe(192);
      pictures++;
    }
    expect(pictures).toBe(Math.round(script.scenes[2]!.end * framesPerSecond));
  });

  it('score previews: the events themselves fully, junk as junk, cuts of scenes as clean', () => {
    const best = scoreSummary(script, script.events);
    expect(best.recall).toBe(1);
    expect(best.eventTime).toBeCloseTo(1);
    const junk = scoreSummary(script, script.scenes.filter(isJunk));
    expect(junk.junk).toBeCloseTo(1);
    expect([junk.recall, junk.clean]).toEqual([0, 1]);
    expect(meanScores([best, junk]).recall).toBe(0.5);
  });

  it('are compared with previews that have the wished length and do not overlap', () => {
    for (const segments of [uniformSummary(script.seconds, 30), randomSummary(script.seconds, 30, 5)]) {
      expect(segments.reduce((sum, { start, end }) => sum + end - start, 0)).toBeCloseTo(30);
      for (const [index, { start, end }] of segments.entries()) {
        expect(start).toBeGreaterThanOrEqual(index === 0 ? 0 : segments[index - 1]!.end - 1e-9);
        expect(end).toBeLessThanOrEqual(script.seconds + 1e-9);
      }
    }
  });
});
