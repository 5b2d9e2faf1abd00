import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Cuts of a real clip, labelled by viewing every frame. Frames are decoded pictures, numbered from 0. */
export interface RealLabels {
  /** First frames of new shots. */
  hard: number[];
  /** First and last frame of gradual changes. */
  gradual: [number, number][];
}

/** Clips without an entry in labels.json that are known to be a single take. */
const unlabelledTakes = ['pedestrians.avi'] as const;

/**
 * Reads the labels of the real clips.
 * @param folder contains the clips and `labels.json`
 */
export function loadLabels(folder: string): Map<string, RealLabels> {
  const parsed: unknown = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8'));
  if (typeof parsed !== 'object' || parsed === null) throw new Error('labels.json is not an object');
  const clips = new Map<string, RealLabels>();
  for (const [name, value] of Object.entries(parsed)) {
    if (isLabels(value)) clips.set(name, { hard: value.hard, gradual: value.gradual });
  }
  for (const name of unlabelledTakes) clips.set(name, { hard: [], gradual: [] });
  return clips;
}

function isLabels(value: unknown): value is RealLabels {
  return typeof value === 'object' && value !== null && 'hard' in value && Array.isArray(value.hard) && 'gradual' in value && Array.isArray(value.gradual);
}

/** Returns the frame ranges between the labelled changes, with a margin of one frame. */
export function takesOf({ hard, gradual }: RealLabels, frames: number): { from: number; to: number }[] {
  const edges = [
    { end: -1, start: 0 },
    ...hard.map((frame) => ({ end: frame, start: frame })),
    ...gradual.map(([first, last]) => ({ end: first, start: last + 1 })),
    { end: frames, start: frames },
  ].sort((one, other) => one.end - other.end || one.start - other.start);
  const takes: { from: number; to: number }[] = [];
  let from = 0;
  for (const edge of edges) {
    if (edge.end - from > 2) takes.push({ from: from + 1, to: edge.end - 1 });
    from = Math.max(from, edge.start);
  }
  return takes;
}
