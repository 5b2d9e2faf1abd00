import type { Analysis } from '../../analysis/analysis.ts';
import { faceInterval, measureFaces } from '../../faces/measureFaces.ts';
import type { FaceWeights } from '../../faces/faceNetwork.ts';
import type { FaceSample } from '../../faces/facesShown.ts';
import type { MediaSource } from '../../media/mediaSource.ts';
import { analysisShape } from '../../pictures/frameTrack.ts';
import { PictureMeter } from '../../pictures/pictureMeter.ts';
import { detectShots } from '../../shots/detectShots.ts';
import type { Transition } from '../../shots/shot.ts';
import { SaliencyMeter, type SaliencySample } from './saliencyMeter.ts';

/** A segment with the samples of its pictures and the transitions inside it. */
export interface SalientSegment {
  /** Seconds. */
  start: number;
  end: number;
  samples: readonly SaliencySample[];
  /** Faces in some of the pictures; empty where faces are not searched. */
  faces: readonly FaceSample[];
  transitions: readonly Transition[];
}

interface SaliencyRequest extends MediaSource {
  analysis: Pick<Analysis, 'tier' | 'transitions'>;
  segments: readonly { start: number; end: number }[];
  /** null if faces are not searched. */
  faceWeights: FaceWeights | null;
  /** Receives the share of the segments that are measured, 0–1. */
  progress(share: number): void;
}

/**
 * Decodes the segments and measures where something moves and where faces are. In the tier `fast`, every frame is decoded, because the analysis does not
 * know the exact cuts inside the segments.
 */
export async function measureSaliency({ backend, path, info, signal, analysis, segments, faceWeights, progress }: SaliencyRequest): Promise<SalientSegment[]> {
  const measured: SalientSegment[] = [];
  const uncertain = analysis.tier === 'fast';
  const interval = faceInterval(segments.reduce((sum, { start, end }) => sum + end - start, 0));
  for (const { start, end } of segments) {
    const meter = new SaliencyMeter();
    const pictures = new PictureMeter();
    const stream = backend.pictures({
      path, info, ...analysisShape, format: 'yuv420p', skip: uncertain ? 'none' : 'bidirectional', from: start, to: end, signal,
    });
    for await (const { time, data } of stream) {
      meter.add(time, data);
      if (uncertain) pictures.add({ time, data });
    }
    const transitions = uncertain ? detectShots(pictures.finish(), end).transitions : analysis.transitions;
    const faces = faceWeights === null ? [] : await measureFaces({ backend, path, info, signal }, faceWeights, { start, end, interval });
    measured.push({ start, end, samples: meter.finish(), faces, transitions: transitions.filter((each) => each.end > start && each.start < end) });
    progress(measured.length / segments.length);
  }
  return measured;
}
