import { GrowingColumn } from '../pictures/growingColumn.ts';
import { Fourier } from './fourier.ts';
import { measureHarmonicity, pitchDecimation, pitchSamples } from './measureHarmonicity.ts';
import { ModulationMeter } from './modulationMeter.ts';
import { MelFilters } from './melFilters.ts';
import { rateSpeech } from './rateSpeech.ts';
import { analysisSampleRate, melBands, soundStep, type SoundTrack } from './soundTrack.ts';

const hop = analysisSampleRate * soundStep;
/** Window of a spectrum, samples: 32 ms, centred on the measured 20 ms. */
const window = 512;
const lead = (window - hop) / 2;
/** Number of samples before the measured 20 ms that the pitch measurement reads. */
const pitchLead = Math.ceil((pitchSamples * pitchDecimation - hop) / 2);
const history = Math.max(lead, pitchLead);
const ahead = Math.max(lead, pitchSamples * pitchDecimation - hop - pitchLead);
/** Power of a silent band: −80 dB relative to full scale. */
const quietPower = 1e-8;
const stepsPerSpectrum = Math.round(0.5 / soundStep);
/** Mel bands of telephone speech: about 250 to 3,600 Hz. */
const voiceBands = { from: 2, to: 15 };

/** Measures a stream of sound in chunks of any size; buffers only a few seconds of samples. */
export class SoundMeter {
  private readonly samples = new Float64Array(history + hop + ahead + 65_536);
  private filled = history;
  private readonly fourier = new Fourier(window);
  private readonly filters = new MelFilters(window);
  private readonly shape = Float64Array.from({ length: window }, (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (index + 0.5)) / window));
  private readonly windowed = new Float64Array(window);
  private readonly power = new Float64Array(window / 2 + 1);
  private readonly energies = new Float64Array(melBands);
  private readonly logs = new Float64Array(melBands);
  /** Log energies of the last two steps, to compute the spectral flux over two steps. */
  private readonly past = [new Float64Array(melBands).fill(Math.log(quietPower)), new Float64Array(melBands).fill(Math.log(quietPower))];
  private readonly slow = new Float64Array(pitchSamples);
  private readonly mean = new Float64Array(melBands);
  private readonly columns = {
    loudness: new GrowingColumn(), onset: new GrowingColumn(), spectra: new GrowingColumn(),
    level: new GrowingColumn(), harmonicity: new GrowingColumn(),
  };
  private readonly modulation = new ModulationMeter();
  private steps = 0;

  /** Adds 16-bit mono samples at `analysisSampleRate`. */
  push(chunk: Int16Array): void {
    for (let from = 0; from < chunk.length; ) {
      const part = chunk.subarray(from, from + this.samples.length - this.filled);
      for (let index = 0; index < part.length; index++) this.samples[this.filled + index] = part[index]! / 32_768;
      this.filled += part.length;
      from += part.length;
      this.work();
    }
  }

  /** Ends the measurement and returns the track. The last 20 ms are padded with silence. */
  finish(): SoundTrack {
    const left = this.filled - history;
    const steps = Math.ceil(left / hop);
    this.samples.fill(0, this.filled, history + steps * hop + ahead);
    this.filled = history + steps * hop + ahead;
    this.work(steps);
    if (this.steps % stepsPerSpectrum > 0) this.closeSpectrum(this.steps % stepsPerSpectrum);
    const { loudness, onset, spectra, level, harmonicity } = this.columns;
    const speech = rateSpeech({ level: level.finish(), harmonicity: harmonicity.finish(), modulation: this.modulation.finish() });
    return { loudness: loudness.finish(), onset: onset.finish(), speech, spectra: spectra.finish() };
  }

  private work(most = Number.POSITIVE_INFINITY): void {
    let at = 0;
    for (let step = 0; step < most && at + history + hop + ahead <= this.filled; step++, at += hop) this.measure(at + history);
    this.samples.copyWithin(0, at, this.filled);
    this.filled -= at;
  }

  /** Measures the 20 ms that start at index `start` of the buffer. */
  private measure(start: number): void {
    let power = 0;
    for (let index = start; index < start + hop; index++) power += this.samples[index]! ** 2;
    this.columns.loudness.push(Math.max(-90, 10 * Math.log10(power / hop + 1e-12)));
    for (let index = 0; index < window; index++) this.windowed[index] = this.samples[start - lead + index]! * this.shape[index]!;
    this.fourier.power(this.windowed, this.power);
    this.filters.apply(this.power, this.energies);
    this.measureFlux();
    this.measureVoice(start);
    if (++this.steps % stepsPerSpectrum === 0) this.closeSpectrum(stepsPerSpectrum);
  }

  private measureFlux(): void {
    const before = this.past[this.steps % 2]!;
    let flux = 0;
    for (let band = 0; band < melBands; band++) {
      // Scales the energies so that the bands add up to the power of the samples; the squared window sums to 3/8 of its
      // length.
      const energy = this.energies[band]! / (window * window * 0.1);
      this.logs[band] = Math.log(energy + quietPower);
      this.mean[band] = this.mean[band]! + energy;
      flux += Math.max(0, this.logs[band]! - before[band]!);
      before[band] = this.logs[band]!;
    }
    this.columns.onset.push(flux / melBands);
    this.modulation.push(this.logs);
  }

  private measureVoice(start: number): void {
    let voice = 0;
    for (let band = voiceBands.from; band <= voiceBands.to; band++) voice += Math.exp(this.logs[band]!) - quietPower;
    this.columns.level.push(Math.max(-90, 10 * Math.log10(voice + 1e-9)));
    const from = start - pitchLead;
    for (let index = 0; index < pitchSamples; index++) {
      const place = from + index * pitchDecimation;
      this.slow[index] = this.samples[place]! + this.samples[place + 1]! + this.samples[place + 2]! + this.samples[place + 3]!;
    }
    this.columns.harmonicity.push(measureHarmonicity(this.slow));
  }

  private closeSpectrum(steps: number): void {
    for (let band = 0; band < melBands; band++) {
      this.columns.spectra.push(Math.log(this.mean[band]! / steps + quietPower));
      this.mean[band] = 0;
    }
  }
}
