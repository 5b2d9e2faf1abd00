import type { VoiceFeatures } from './soundMeter.ts';

/** Values on either side that are looked at together: 0.75 s. */
const reach = 37;
/** Gaps of up to so many values (100 ms) inside a voice belong to it: stops like "p" and "t" are silent. */
const closure = 5;

/**
 * How much each 20 ms sound like a voice, 0–1. A voice is told by its surroundings of 1.5 s: its level falls and rises by
 * syllables, and it has vowels, which are periodic. Within such surroundings only what is near the level of the loud parts
 * counts, so that pauses between words stay free.
 */
export function rateSpeech({ level, harmonicity }: VoiceFeatures): Float32Array {
  const count = level.length;
  const likeness = new Float32Array(count);
  const active = new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const from = Math.max(0, index - reach);
    const to = Math.min(count, index + reach + 1);
    const levels = level.slice(from, to).sort();
    const tones = harmonicity.slice(from, to).sort();
    const loud = levels[Math.floor(levels.length * 0.9)]!;
    const soft = levels[Math.floor(levels.length * 0.1)]!;
    const depth = ramp(loud - soft, 8, 18);
    const vowels = ramp(tones[Math.floor(tones.length * 0.8)]!, 0.5, 0.8);
    likeness[index] = Math.sqrt(depth * vowels) * ramp(loud, -55, -45);
    active[index] = Number(level[index]! > loud - 18);
  }
  closeGaps(active);
  return likeness.map((value, index) => (active[index] === 1 ? value : 0));
}

function ramp(value: number, low: number, high: number): number {
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

function closeGaps(active: Uint8Array): void {
  let last = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < active.length; index++) {
    if (active[index] === 0) continue;
    if (index - last <= closure + 1) active.fill(1, Math.max(0, last), index);
    last = index;
  }
}
