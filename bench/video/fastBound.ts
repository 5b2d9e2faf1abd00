/**
 * Computes how fast the tier `fast` could be at most if it decoded the frames around each cut, and if it knew without any work
 * where the cuts are: it decodes all key frames, and from the last key frame before each cut up to the cut. A cut at a key frame costs nothing.
 *   FFMPEG_PATH=<ffmpeg> node --import tsx bench/video/fastBound.ts <folder of clips>
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeClip } from './cutsCompose.ts';
import { loadLabels } from './cutsLabels.ts';
import { BenchClip, encodeComposed, encodings, openBackend } from './cutsMedia.ts';
import { loadTakes } from './cutsTakes.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: FFMPEG_PATH=<ffmpeg> node --import tsx bench/video/fastBound.ts <folder of clips>');
const backend = await openBackend();
const scratch = await mkdtemp(join(tmpdir(), 'vouch-bound-'));

interface Share {
  frames: number;
  bytes: number;
}

/** Shares of the frames and of the bytes of a clip that such a tier decodes. */
async function boundOf(path: string, cuts: readonly number[]): Promise<Share> {
  const clip = await BenchClip.open(backend, path);
  const { keys, sizes } = await clip.packets();
  const decoded = new Uint8Array(keys.length);
  for (let frame = 0; frame < keys.length; frame++) if (keys[frame] === 1) decoded[frame] = 1;
  for (const cut of cuts) {
    if (keys[cut] === 1) continue;
    for (let frame = cut; frame >= 0; frame--) {
      decoded[frame] = 1;
      if (keys[frame] === 1) break;
    }
  }
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return { frames: decoded.reduce((sum, one) => sum + one, 0) / decoded.length, bytes: sizes.reduce((sum, size, frame) => sum + size * decoded[frame]!, 0) / total };
}

function tell(name: string, shares: readonly Share[]): void {
  const mean = (pick: (share: Share) => number): number => shares.reduce((sum, share) => sum + pick(share), 0) / shares.length;
  const [frames, bytes] = [mean((share) => share.frames), mean((share) => share.bytes)];
  console.log(`${name}: ${(100 * frames).toFixed(1)} % of the frames, ${(100 * bytes).toFixed(1)} % of the bytes; at most ${(1 / frames).toFixed(1)} × by frames, ${(1 / bytes).toFixed(1)} × by bytes`);
}

try {
  const takes = await loadTakes(backend, folder);
  const composed = new Map<string, Share[]>();
  for (const seed of [301, 302, 303, 304, 305, 306]) {
    const { pictures, labels } = composeClip(seed, takes.test);
    for (const [name, encoding] of Object.entries(encodings)) {
      const path = join(scratch, `${seed}.mp4`);
      await encodeComposed(pictures, encoding, path);
      composed.set(name, [...(composed.get(name) ?? []), await boundOf(path, labels.hard)]);
    }
  }
  for (const [name, shares] of composed) tell(`composed, ${name}`, shares);
  for (const [name, labels] of loadLabels(folder)) if (labels.hard.length > 0) tell(name, [await boundOf(join(folder, name), labels.hard)]);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
