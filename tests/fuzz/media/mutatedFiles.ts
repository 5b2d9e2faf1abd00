import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FixtureSpec } from '../../../packages/video/engine/testing/clips/fixtureSpec.ts';
import { makeFixture } from '../../../packages/video/engine/testing/clips/makeFixture.ts';
import { mutateMedia } from './mutateMedia.ts';

const tiny = { width: 64, height: 36, seconds: 1, gop: { frames: 8, fixed: true } } as const;

/** What is mutated: every container and codec, with edit lists, turns, uneven times and ten bits. */
const bases: readonly Partial<FixtureSpec>[] = [
  { container: 'mp4' },
  { container: 'mp4', indexFirst: true, sound: null },
  { container: 'mkv', subtitles: [{ codec: 'ass', language: 'eng', cues: [{ start: 0.2, end: 0.6, text: 'Words' }] }] },
  { container: 'webm', codec: 'vp9', sound: null },
  { container: 'ts' },
  { container: 'avi', codec: 'mpeg4' },
  { container: 'mov', trimmed: 0.2, rotation: 90 },
  { container: 'webm', codec: 'vp8' },
  { container: 'mp4', codec: 'hevc', sound: null },
  { container: 'mkv', codec: 'av1', sound: null },
  { container: 'mkv', codec: 'hevc', tenBit: true, sound: null },
  { container: 'mp4', variableRate: true, cover: true },
  { container: 'gif', codec: 'gif', sound: null, variableRate: true },
];

export interface MutatedFile {
  seed: number;
  path: string;
  /** Container, codec and the changes. */
  what: string;
}

/** Writes the mutated files of some seeds into a folder. */
export async function writeMutated(folder: string, seeds: readonly number[]): Promise<MutatedFile[]> {
  const files: MutatedFile[] = [];
  for (const seed of seeds) {
    const base = bases[seed % bases.length]!;
    const { bytes, how } = mutateMedia(await readFile(await makeFixture({ ...tiny, ...base })), seed);
    const path = join(folder, `${seed}.${base.container}`);
    await writeFile(path, bytes);
    files.push({ seed, path, what: `${base.codec ?? 'h264'} in ${base.container}: ${how}` });
  }
  return files;
}

/** What became of one file. `fault`: neither a preview nor a refusal whose code is in the catalogue. */
export interface FileEnd {
  seed: number;
  end: 'summarized' | 'refused' | 'fault';
  /** Code of the refusal, or what went wrong. */
  detail: string;
}

/** Counts of ends and of refusals by code, for a line of output. */
export function tellEnds(ends: readonly FileEnd[]): string {
  const counts = new Map<string, number>();
  for (const { end, detail } of ends) {
    const name = end === 'refused' ? detail : end;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${count}`).join(', ');
}
