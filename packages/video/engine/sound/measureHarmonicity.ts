/** Factor of the downsampling from 16 kHz to 4 kHz, which is enough for the pitch of voices (70 to 400 Hz). */
export const pitchDecimation = 4;
const rate = 4_000;
const maxLag = Math.ceil(rate / 70);
const minLag = Math.floor(rate / 400);
/** Length of the compared window, samples at 4 kHz: 32 ms. */
const window = 128;

/** Number of samples at 4 kHz that `measureHarmonicity` reads. */
export const pitchSamples = window + maxLag;

/**
 * Measures the periodicity of `pitchSamples` samples at 4 kHz: the highest normalized autocorrelation at the lags of a voice,
 * 0–1. The result is near 1 for a vowel and low for noise.
 */
export function measureHarmonicity(samples: Float64Array): number {
  let energy = 0;
  for (let index = 0; index < window; index++) energy += samples[index]! ** 2;
  let lagged = 0;
  for (let index = minLag; index < minLag + window; index++) lagged += samples[index]! ** 2;
  let best = 0;
  let falling = false;
  let before = 1;
  for (let lag = minLag; lag <= maxLag; lag++) {
    let product = 0;
    for (let index = 0; index < window; index++) product += samples[index]! * samples[index + lag]!;
    const likeness = product / Math.sqrt(energy * lagged + 1e-9);
    // The autocorrelation falls from lag 0; a maximum counts as a period only after this first fall.
    if (likeness < before) falling = true;
    if ((falling || likeness < 0.5) && likeness > before) best = Math.max(best, likeness);
    before = likeness;
    lagged += samples[lag + window]! ** 2 - samples[lag]! ** 2;
  }
  return Math.min(1, best);
}
