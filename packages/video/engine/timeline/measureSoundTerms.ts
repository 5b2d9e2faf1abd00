import { melBands, soundStep, type SoundTrack } from '../sound/soundTrack.ts';
import { timelineStep } from '../analysis/timeline.ts';

const perCell = Math.round(timelineStep / soundStep);

interface SoundTerms {
  /** Mean power per cell, dB relative to full scale. */
  loudness: Float32Array;
  /** Strongest onset (spectral flux) per cell. */
  onset: Float32Array;
  /** Mean likeness to a voice per cell, 0–1. */
  speech: Float32Array;
  /** Log energies of the mel bands, `melBands` values per cell. */
  spectra: Float32Array;
}

/** Resamples a sound track to the cells of the timeline. Cells after the end of the sound are silent. */
export function measureSoundTerms(sound: SoundTrack | null, cells: number): SoundTerms {
  const terms: SoundTerms = {
    loudness: new Float32Array(cells).fill(-90),
    onset: new Float32Array(cells),
    speech: new Float32Array(cells),
    spectra: new Float32Array(cells * melBands),
  };
  if (sound === null) return terms;
  for (let cell = 0; cell < cells; cell++) {
    const from = cell * perCell;
    const to = Math.min(sound.loudness.length, from + perCell);
    if (to <= from) break;
    let power = 0;
    let voice = 0;
    for (let index = from; index < to; index++) {
      power += 10 ** (sound.loudness[index]! / 10);
      voice += sound.speech[index]!;
      terms.onset[cell] = Math.max(terms.onset[cell]!, sound.onset[index]!);
    }
    terms.loudness[cell] = Math.max(-90, 10 * Math.log10(power / (to - from)));
    terms.speech[cell] = voice / (to - from);
  }
  terms.spectra.set(sound.spectra.subarray(0, terms.spectra.length));
  return terms;
}
