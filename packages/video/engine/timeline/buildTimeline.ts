import type { Analysis } from '../analysis/analysis.ts';
import { findCues } from './findCues.ts';
import { findRepeats } from './findRepeats.ts';
import { edgesOf, repeatOf } from './findSharedParts.ts';
import { divideShots, joinRepeats } from './joinRepeats.ts';
import { listBoundaries } from './listBoundaries.ts';
import { melBands } from '../sound/soundTrack.ts';
import { measureExcess } from './measureExcess.ts';
import { measureMotion, shotOfCells } from './measureMotion.ts';
import { measureNovelty } from './measureNovelty.ts';
import { measureSoundTerms } from './measureSoundTerms.ts';
import { measureSurprise } from './measureSurprise.ts';
import { rankValues } from './rankValues.ts';
import { splitPieces } from './splitPieces.ts';
import { timelineStep, type Timeline } from '../analysis/timeline.ts';

/** Share of a term that depends on the rank alone, so that a constantly high value still counts. */
const lasting = 0.15;

/**
 * Computes everything about importance that does not depend on the options: the terms on a grid of half seconds, the technical
 * cues, the pieces and the boundaries. Pure: the same analysis gives the same bytes. Costs about 20 ms per minute of video.
 */
export function buildTimeline(analysis: Analysis): Timeline {
  const cells = Math.max(1, Math.ceil(analysis.info.duration / timelineStep - 1e-6));
  const shots = shotOfCells(analysis, cells);
  const motion = measureMotion(analysis, cells);
  const sound = measureSoundTerms(analysis.sound, cells);
  // The motion uses `frames`: motion from packets or few frames and motion from all frames cannot be compared.
  const seen = { ...analysis, frames: analysis.denseFrames ?? analysis.frames };
  const spectra = analysis.sound === null ? null : sound.spectra;
  const voices = Uint8Array.from(sound.speech, (likeness) => Number(likeness > 0.3));
  const loud = surpriseByRank(sound.loudness, shots, voices, { bandwidth: 3, floor: 4, width: 2.5 });
  const excess = surpriseByRank(measureExcess(sound.spectra, melBands, shots, voices), shots, voices, { bandwidth: 0.3, floor: 0.5, width: 1.5 });
  const onset = surpriseByRank(sound.onset, shots, voices, { bandwidth: 0.2, floor: 0.3, width: 4 });
  return {
    cells,
    motion: surpriseByRank(motion, shots, new Uint8Array(cells), { bandwidth: 0.15, floor: 0.2, width: 2.5 }),
    sound: loud.map((value, cell) => (analysis.sound === null ? 0 : Math.max(value, 0.7 * onset[cell]!, excess[cell]!))),
    speech: sound.speech,
    novelty: measureNovelty(seen.frames.layouts, spectra, shots),
    cues: findCues(seen),
    boundaries: listBoundaries(seen),
    pieces: splitPieces(shots, { layouts: seen.frames.layouts, pages: seen.frames.pages, motion, loudness: sound.loudness }),
    ...repeatsIn(analysis, seen),
  };
}

/**
 * Repeats of the shots that were known before, because a cut that is found in one copy alone divides it into shots that
 * resemble no shot of the others; by all known frames; and by the frames of the tier, because a copy of which every frame is
 * known is not recognized in a copy of which only key frames are known. Key frames tell least about the time between two copies.
 */
function repeatsIn(analysis: Analysis, seen: Analysis): Pick<Timeline, 'repeats' | 'repeatShots'> {
  const found = findRepeats(seen);
  if (seen.frames === analysis.frames) return { repeats: found };
  const { shots, coarse } = analysis;
  const own = [{ shots, repeats: found }, { shots, repeats: findRepeats(analysis) }];
  if (coarse === undefined) return { repeats: joinRepeats(shots, own) };
  const { shared = [] } = analysis;
  const repeatShots = divideShots(shots, [...coarse.shots.map(({ start }) => start), ...shared.flatMap((part) => edgesOf(part, shots))]);
  return { repeatShots, repeats: joinRepeats(repeatShots, [coarse, ...own, ...shared.map(repeatOf)]) };
}

/** Rank in the whole video multiplied by the local surprise: high values are both unusual nearby and large overall. */
function surpriseByRank(values: Float32Array, shots: Uint32Array, kinds: Uint8Array, scale: { bandwidth: number; floor: number; width: number }): Float32Array {
  const surprise = measureSurprise(values, shots, kinds, scale);
  return rankValues(values, scale.bandwidth).map((rank, cell) => rank * (lasting + (1 - lasting) * surprise[cell]!));
}
