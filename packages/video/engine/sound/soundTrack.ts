/** Rate at which sound is analysed, Hz, mono. */
export const analysisSampleRate = 16_000;

/** Seconds between two values of a SoundTrack. */
export const soundStep = 0.02;

/** What is measured of the sound, one value per 20 ms. */
export interface SoundTrack {
  /** Loudness, dB relative to full scale, −90 for digital silence. */
  loudness: Float32Array;
  /** Strength of an onset (spectral flux), ≥ 0. */
  onset: Float32Array;
  /** How much it sounds like a voice, 0–1. */
  speech: Float32Array;
  /** Spectra for novelty: log energies of 20 mel bands per half second, `melBands` values each. */
  spectra: Float32Array;
}

export const melBands = 20;
