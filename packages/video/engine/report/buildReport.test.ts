import { unspecifiedColour } from '../media/colour.ts';
import { describe, expect, it } from 'vitest';
import type { Selection } from '../selection/selection.ts';
import { buildReport, type ReportFacts } from './buildReport.ts';
import { describeReason } from './describeReason.ts';

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>' onload='alert(3) \u202Egnp.exe`;

function facts(text: string): ReportFacts {
  const curve = Float32Array.from({ length: 20 }, (_, index) => index / 20);
  const selection: Selection = {
    segments: [
      { start: 1, end: 3.5, score: 0.8, title: text, text, reasons: [
        { kind: 'motion', share: 0.5, at: 2, value: 0.9 }, { kind: 'text', share: 0.1, text }, { kind: 'diversity', share: 0.2, value: 0.7 }, { kind: 'speech', share: 0.05, at: 1.5, value: 0.8 },
      ] },
      { start: 6, end: 8, score: 0.6, title: null, text: null, reasons: [{ kind: 'included', share: 1 }, { kind: 'repeat', share: 0, shown: 1, also: [760, 1510] }] },
    ],
    rejected: [{ start: 4, end: 5, score: 0.7, why: 'similar', detail: text }],
    curve: { step: 0.5, importance: curve, motion: curve, sound: curve, speech: curve, novelty: curve },
    warnings: [],
  };
  return {
    title: text,
    analysis: {
      tier: 'balanced', backend: { name: 'ffmpeg', version: text }, shots: [{ start: 0, end: 5 }, { start: 5, end: 10 }],
      transitions: [{ kind: 'cut', start: 5, end: 5, confidence: 1 }],
      info: {
        container: text, start: 0, bytes: 1_000_000, duration: 10, audio: { stream: 1, codec: text, sampleRate: 48_000, channels: 2 }, subtitles: [],
        video: { stream: 0, codec: text, width: 320, height: 180, rotation: 0, frameRate: { numerator: 25, denominator: 1 }, variableFrameRate: false, pixelFormat: 'yuv420p', bitDepth: 8, colour: unspecifiedColour, highDynamicRange: false },
      },
    },
    selection,
    parts: [{ at: 0, duration: 2.5 }, { at: 2.5, duration: 2 }],
    preview: { kind: 'mp4', name: 'preview.mp4', poster: 'poster.jpg' },
    shapes: [
      { path: 'preview-9x16.mp4', shape: '9:16, 180 × 320; the crop shows 32 % of the picture and 84 % of the motion' },
      { path: 'preview-1x1.mp4', shape: '1:1, 320 × 320; the whole picture with black bars' },
    ],
    files: [
      { kind: 'mp4', path: 'preview.mp4', width: 320, height: 180 },
      { kind: 'poster', path: 'poster.jpg', width: 320, height: 180, time: 2, choice: { quality: 0.712, text: false, face: 0.4 } },
      { kind: 'poster', path: 'poster-9x16.jpg', width: 101, height: 180, time: 2, aspectRatio: '9:16', framing: { mode: 'crop', picture_share: 0.32, motion_share: 0.5, faces_share: 1 }, choice: { quality: 0.712, text: false, face: 0.4 } },
      { kind: 'poster-candidate', path: 'poster-candidate-1.jpg', width: 320, height: 180, time: 2, choice: { quality: 0.712, text: false, face: 0.4 } },
      { kind: 'poster-candidate', path: 'poster-candidate-2.jpg', width: 320, height: 180, time: 7, choice: { quality: 0.5, text: true, face: null } },
    ],
    warnings: [{ code: 'x', detail: text }],
    pictures: { dataUrl: 'data:image/jpeg;base64,AAAA', width: 640, height: 180, tile: { width: 320, height: 180 }, segments: [{ x: 0, y: 0 }, null], rejected: [{ x: 320, y: 0 }] },
  };
}

describe('a report', () => {
  it('claims no amount of motion or sound and no beginning, which are not known', () => {
    // Values are relative: steady loud music has 0.07, as silence has.
    expect(describeReason({ kind: 'sound', share: 0.2, at: 4, value: 0.07 })).toBe('ordinary sound, strongest at 0:04.0');
    // The peak of novelty may be seconds after the new scene began.
    expect(describeReason({ kind: 'novelty', share: 0.2, at: 54.5, value: 0.9 })).toBe('unlike other parts of the video, most at 0:54.5');
  });

  it('shows hostile titles and subtitles as text and as nothing else', () => {
    const plain = buildReport(facts('plain'));
    const page = buildReport(facts(hostile));
    const tags = (html: string): string[] => [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/"[^"]*"/g, '""'));
    expect(tags(page)).toEqual(tags(plain));
    expect(page).not.toContain('<script');
    expect(page).not.toContain('\u202E');
    expect(page).toContain('&lt;script&gt;');
  });

  it('needs nothing from outside but the preview and the posters beside it', () => {
    const addresses = [...buildReport(facts('plain')).matchAll(/\b(?:src|href|poster)="([^"]*)"/g)].map(([, address]) => address);
    expect(new Set(addresses)).toEqual(new Set(['preview.mp4', 'preview-9x16.mp4', 'preview-1x1.mp4', 'poster.jpg', 'poster-9x16.jpg', 'poster-candidate-1.jpg', 'poster-candidate-2.jpg', 'preview.mp4#t=0.00', 'preview.mp4#t=2.50', 'data:image/jpeg;base64,AAAA', '#sheet']));
  });

  it('tells each segment with its place, its reasons and their shares, and why the others are out', () => {
    const page = buildReport({ ...facts('plain'), selection: { ...facts('plain').selection, rejected: [{ start: 4, end: 5, score: 0.7, why: 'budget', detail: 'It did not fit.' }] } });
    expect(page).toContain('4.5 s of 10.0 s (45 %) in 2 segments, from 2 shots.');
    expect(page).toContain('outstanding motion, strongest at 0:02.0');
    expect(page).toContain('>50 %<');
    expect(page).toContain('70 % different in colour layout from the other segments');
    expect(page).toContain('sound that resembles speech, clearest at 0:01.5');
    expect(page).toContain('It did not fit.');
    expect(page).toContain('shown once; also at 12:40.0, 25:10.0');
  });

  it('is whole for a preview without pictures, sound, rejected segments and video', () => {
    const base = facts('plain');
    const page = buildReport({
      ...base, pictures: null, preview: null, shapes: [], files: [], warnings: [],
      analysis: { ...base.analysis, info: { ...base.analysis.info, audio: null } },
      selection: { ...base.selection, rejected: [] },
    });
    expect(page).toContain('<dd>none</dd>');
    expect(page).not.toMatch(/<video|<use|<figure|Moments not in the preview|undefined|NaN/);
  });

  it('reports no shots in the tier fast', () => {
    const base = facts('plain');
    const page = buildReport({ ...base, analysis: { ...base.analysis, tier: 'fast' } });
    expect(page).toContain('in 2 segments.');
    expect(page).toContain('<dd>not reported: the tier fast decodes key frames only</dd>');
    expect(page).not.toMatch(/class="shot\d"/);
  });

  it('states for each shape what its preview shows of the picture', () => {
    const page = buildReport(facts('plain'));
    expect(page).toContain('<a href="preview-9x16.mp4">preview-9x16.mp4</a>: 9:16, 180 × 320; the crop shows 32 % of the picture and 84 % of the motion');
    expect(page).toContain('1:1, 320 × 320; the whole picture with black bars');
  });

  it('states why each poster and candidate was chosen, and shows a picture once that is both', () => {
    const figures = [...buildReport(facts('plain')).matchAll(/<figure>.*?<\/figure>/gs)].map(([figure]) => figure.replaceAll(/<[^>]*>|\n/g, ' ').replaceAll(/\s+/g, ' ').trim());
    expect(figures).toEqual([
      'poster.jpg , poster-candidate-1.jpg at 0:02.0, segment 1 quality 71 %, no text found, shows a face, 40 % clear',
      'poster-9x16.jpg at 0:02.0, segment 1 quality 71 %, no text found, shows a face, 40 % clear 9:16; the crop shows 32 % of the picture, 50 % of the motion, 100 % of the faces',
      'poster-candidate-2.jpg at 0:07.0, segment 2 quality 50 %, shows text',
    ]);
  });
});
