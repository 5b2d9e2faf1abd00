import { reportsShots, type Analysis } from '../analysis/analysis.ts';
import type { Selection } from '../selection/selection.ts';

/** The reason why a tier reports no shots. */
export const noShots = 'The tier fast decodes key frames only, so about a third of its cuts would be missing, wrong or some frames off. Set analysis to "balanced" or "accurate" to get shots.';

/** Shots and transitions as JSON; times in seconds. In a tier that reports no shots, both are null, and `reason` states why. */
export function shotsJson({ shots, transitions, tier, info }: Pick<Analysis, 'shots' | 'transitions' | 'tier' | 'info'>): string {
  const facts = { duration: rounded(info.duration, 6), tier };
  if (!reportsShots(tier)) return `${JSON.stringify({ ...facts, shots: null, transitions: null, reason: noShots })}\n`;
  return `${JSON.stringify({
    ...facts,
    shots: shots.map(({ start, end }) => ({ start: rounded(start, 6), end: rounded(end, 6) })),
    transitions: transitions.map(({ kind, start, end, confidence }) => ({
      kind, start: rounded(start, 6), end: rounded(end, 6), confidence: rounded(confidence, 4),
    })),
  })}\n`;
}

/** Importance curve and its terms as JSON; value n belongs to the time n × `step` seconds. */
export function curveJson({ step, ...parts }: Selection['curve']): string {
  const told = Object.entries(parts).map(([name, values]) => [name, Array.from(values, (value) => rounded(value, 4))]);
  return `${JSON.stringify({ step, ...Object.fromEntries(told) })}\n`;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
