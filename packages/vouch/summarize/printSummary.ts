import { relative } from 'node:path';
import { listShaped } from '@vouch/video/engine/report/shapedPreviews';
import { formatCount, formatPart, listReasons } from '@vouch/video/engine/report/describeReason';
import { formatTime } from '@vouch/video/engine/selection/formatTime';
import { formatTable } from '../terminal/table.ts';
import type { Summary } from './summarizeMedia.ts';

/** Formats a summary for people: the segments with their reasons, the warnings, and the paths of the files. */
export function describeSummary({ title, source, engine, shots, segments, warnings, files, timings }: Summary, out: string): string {
  const seconds = segments.reduce((sum, { start, end }) => sum + end - start, 0);
  const lines = [
    formatTable(
      `${formatPart(seconds, source.duration)} of ${title}`,
      ['#', 'in the video', 'seconds', 'score', 'why'],
      segments.map((segment, index) => [
        index + 1, `${formatTime(segment.start)}–${formatTime(segment.end)}`, (segment.end - segment.start).toFixed(1), segment.score.toFixed(2),
        segment.title === null ? listReasons(segment.reasons) : `${segment.title}: ${listReasons(segment.reasons)}`,
      ]),
    ),
    '',
    `${shots === null ? 'Shots are not reported' : formatCount(shots, 'shot')}; ${engine.analysis} analysis with ${engine.backend} ${engine.version}, ${Object.values(timings).reduce((sum, each) => sum + each, 0).toFixed(1)} s.`,
    ...warnings.map(({ detail }) => `Warning: ${detail}`),
    ...listShaped(files).map(({ path, shape }) => `${relative(out, path)}: ${shape}.`),
    `Files in ${out}: ${listFiles(files, out)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function listFiles(files: Summary['files'], out: string): string {
  const names = files.map(({ path }) => relative(out, path));
  const frames = names.filter((name) => name.startsWith('keyframe-'));
  const others = names.filter((name) => !name.startsWith('keyframe-'));
  const shown = frames.length > 1 ? [...others, `${frames[0]} … ${frames.at(-1)}`] : [...others, ...frames];
  return shown.join(', ');
}

/** Formats a summary as JSON, with the field names of the HTTP interface. */
export function summaryToJson({ title, source, engine, shots, segments, rejected, warnings, files, timings }: Summary): unknown {
  const { video, audio } = source;
  return {
    title,
    source: {
      container: source.container, bytes: source.bytes, duration: source.duration, width: video.width, height: video.height,
      fps: Math.round((video.frameRate.numerator / video.frameRate.denominator) * 1000) / 1000, codec: video.codec, audio: audio?.codec ?? null,
    },
    engine, shots_count: shots, segments, rejected, warnings,
    outputs: files.map(({ contentType, aspectRatio, ...file }) => ({ ...file, content_type: contentType, ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }) })),
    timings,
  };
}
