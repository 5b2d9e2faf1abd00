/** Sample rate of the sound analysis, Hz; mono. */
export const analysisSampleRate = 16_000;

/** Seconds between two values of a SoundTrack. */
export const soundStep = 0.02;

/** Measurements of the sound; one value per 20 ms unless stated otherwise. */
export interface SoundTrack {
  /** Level, dB relative to full scale; −90 for digital silence. */
  loudness: Float32Array;
  /** Strength of an onset (spectral flux), ≥ 0. */
  onset: Float32Array;
  /** Likeness to a voice, 0–1. */
  speech: Float32Array;
  /** Spectra for the novelty term: log energies of 20 mel bands, `melBands` values per half second. */
  spectra: Float32Array;
}

export const melBands = 20;
