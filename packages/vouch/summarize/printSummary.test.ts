import { expect, it } from 'vitest';
import { testAnalysis } from '@vouch/video/engine/testing/testAnalysis';
import { describeSummary } from './printSummary.ts';
import type { Summary } from './summarizeMedia.ts';

it.each([
  [29.5, 1, '29.5 s of 29.5 s of road.mp4', '\n1 shot; accurate'],
  [125, 2, '0:29.5 of 2:05.0 of road.mp4', '\n2 shots; accurate'],
])('lengths have one format, and one shot is no shots (%d s, %d)', (seconds, shots, length, told) => {
  const { info } = testAnalysis([{ seconds, look: 1 }]);
  const summary: Summary = {
    title: 'road.mp4', source: info, engine: { backend: 'ffmpeg', version: '8.1', analysis: 'accurate' }, shots,
    segments: [{ start: 0, end: 29.5, score: 1, reasons: [], title: null, text: null }], rejected: [], warnings: [], files: [], timings: { analyse: 1 },
  };
  const text = describeSummary(summary, '/out');
  expect(text).toContain(length);
  expect(text).toContain(told);
});
