import { analysisVersion, type Analysis } from '../analysis/analysis.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import { layoutLength } from '../pictures/frameTrack.ts';
import type { Selection } from '../selection/selection.ts';

/** Makes an analysis of a file that contains only the parts that rendering needs. */
export async function bareAnalysis(backend: MediaBackend, path: string, signal: AbortSignal): Promise<Analysis> {
  const info = await backend.probe(path, signal);
  const { times, sizes } = await backend.packets(path, info, signal);
  const none = new Float32Array(0);
  return {
    version: analysisVersion, tier: 'fast', backend, info, frameTimes: times, frameSizes: sizes, sound: null, transitions: [],
    shots: [{ start: 0, end: info.duration }], warnings: [],
    frames: {
      times: new Float64Array(0), difference: none, residual: none, pan: none, brightness: none, contrast: none, saturation: none, detail: none, sharpness: none,
      layouts: new Uint8Array(layoutLength), pages: new Uint32Array(1),
    },
  };
}

/** Makes a selection of segments without reasons and texts, and with a constant curve. */
export function bareSelection(segments: readonly { start: number; end: number }[]): Selection {
  const curve = new Float32Array(4).fill(0.5);
  return {
    segments: segments.map(({ start, end }, index) => ({ start, end, score: index / 10, reasons: [], title: null, text: null })),
    rejected: [{ start: 5, end: 6, score: 0.4, why: 'budget', detail: 'It did not fit.' }],
    curve: { step: 0.5, importance: curve, motion: curve, sound: curve, speech: curve, novelty: curve },
    warnings: [],
  };
}
