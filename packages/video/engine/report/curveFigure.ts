import { reportsShots, type Analysis } from '../analysis/analysis.ts';
import type { Selection } from '../selection/selection.ts';
import { formatTime } from '../selection/formatTime.ts';
import { markup, type Markup } from './markup.ts';

const width = 960;
/** Maximum number of points, because more would not be visible; each point shows the maximum of its values. */
const maxPoints = 480;
const curveHeight = 150;
const partHeight = 30;
/** Space above each curve for its name, in units of the figure. */
const partGap = 15;
const labelHeight = 18;
const shotsHeight = 12;
const tickSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 18_000, 36_000];

interface FigureFacts {
  analysis: Pick<Analysis, 'shots' | 'info' | 'tier'>;
  selection: Selection;
}

/** Draws the importance over the video with its terms, the shots below, and the selected segments with their numbers. */
export function curveFigure({ analysis, selection }: FigureFacts): Markup {
  const { duration } = analysis.info;
  const x = (seconds: number): string => ((Math.min(duration, seconds) / duration) * width).toFixed(1);
  const { curve, segments, rejected } = selection;
  const shotsAt = labelHeight + curveHeight + 4;
  const axisAt = shotsAt + shotsHeight + 4;
  const parts = (['motion', 'sound', 'speech', 'novelty'] as const).map((name, index) => ({ name, top: axisAt + 18 + partGap + index * (partHeight + partGap) }));
  const height = parts.at(-1)!.top + partHeight + 4;
  const bands = segments.map((segment, index) => markup`
    <g><title>Segment ${index + 1}: ${formatTime(segment.start)}–${formatTime(segment.end)}</title>
    <rect class="chosen" x="${x(segment.start)}" y="${labelHeight}" width="${wide(segment, duration)}" height="${height - labelHeight}"/>
    <text class="number" x="${x((segment.start + segment.end) / 2)}" y="13" text-anchor="middle">${index + 1}</text></g>`);
  const misses = rejected.map((miss) => markup`
    <circle class="miss" cx="${x((miss.start + miss.end) / 2)}" cy="${labelHeight + curveHeight - 6}" r="3.5"><title>Not in the preview: ${miss.detail}</title></circle>`);
  return markup`<svg class="curve" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="curve-title curve-text">
    <title id="curve-title">Importance over the video</title>
    <desc id="curve-text">${segments.length} chosen segments of a video of ${formatTime(duration)}; the list below has their times.</desc>
    ${bands}
    <path class="importance" d="${area(curve.importance, curve.step, duration, labelHeight, curveHeight)}"/>
    <line class="axis" x1="0" x2="${width}" y1="${labelHeight + curveHeight}" y2="${labelHeight + curveHeight}"/>
    ${misses}
    ${(reportsShots(analysis.tier) ? analysis.shots : []).map((shot, index) => markup`<rect class="shot${index % 2}" x="${x(shot.start)}" y="${shotsAt}" width="${wide(shot, duration)}" height="${shotsHeight}"/>`)}
    ${ticks(duration).map((tick) => markup`<text class="tick" x="${x(tick)}" y="${axisAt + 10}" text-anchor="${tick === 0 ? 'start' : 'middle'}">${formatTime(tick).replace(/\.0$/, '')}</text>`)}
    ${parts.map(({ name, top }) => markup`<path class="part" d="${area(curve[name], curve.step, duration, top, partHeight)}"/>
    <line class="axis" x1="0" x2="${width}" y1="${top + partHeight}" y2="${top + partHeight}"/><text class="tick" x="2" y="${top - 3}">${name}</text>`)}
  </svg>`;
}

function wide({ start, end }: { start: number; end: number }, duration: number): string {
  return Math.max(1, ((Math.min(duration, end) - start) / duration) * width).toFixed(1);
}

/** Path data of the area under values from 0 to 1. */
function area(values: Float32Array, step: number, duration: number, top: number, height: number): string {
  const group = Math.max(1, Math.ceil(values.length / maxPoints));
  const points: string[] = [];
  for (let from = 0; from < values.length; from += group) {
    const value = Math.max(0, Math.min(1, values.subarray(from, from + group).reduce((most, each) => Math.max(most, each), 0)));
    const [left, right] = [from, from + group].map((index) => (Math.min(duration, index * step) / duration) * width);
    const y = (top + height * (1 - value)).toFixed(1);
    points.push(`L${left!.toFixed(1)} ${y}L${right!.toFixed(1)} ${y}`);
  }
  return `M0 ${top + height}${points.join('')}L${width} ${top + height}Z`;
}

function ticks(duration: number): number[] {
  const step = tickSteps.find((candidate) => duration / candidate <= 12) ?? 72_000;
  // A label in the last 3 % would extend beyond the figure.
  return Array.from({ length: Math.floor((duration - 0.03 * duration) / step) + 1 }, (_, index) => index * step);
}
