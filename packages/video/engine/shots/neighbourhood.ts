/** Half the width of a picture's neighbourhood, seconds. */
const reachSeconds = 0.6;
/**
 * Minimum and maximum of the half width in pictures: the minimum for videos with few pictures per second, the maximum so that
 * 120 pictures per second do not cost more time.
 */
const minPictures = 5;
const maxPictures = 40;

/** A picture whose mean difference from the previous picture is below this (levels of grey) is a repetition. */
const repeated = 0.15;
/** If at least this many neighbours are not repetitions, the repetitions are ignored. */
const enough = 4;

/** Maximum distance in time of the pictures that `peak` considers, seconds: 5 frames at 15 frames per second. */
const peakSeconds = 0.35;

/**
 * Typical values around each picture. A cut must exceed them, so a shaking camera raises the threshold and a still camera
 * lowers it. Much video on the web shows each picture two to five times; repetitions say nothing about motion and are ignored
 * if enough other pictures exist.
 */
export class Neighbourhood {
  private readonly times: Float64Array;
  private readonly moves: Uint8Array;
  private readonly scratch = new Float32Array(2 * maxPictures);
  private readonly scratchMoving = new Float32Array(2 * maxPictures);

  /**
   * @param times presentation times, seconds, ascending
   * @param difference of each picture to the previous picture, levels of grey
   */
  constructor(times: Float64Array, difference: Float32Array) {
    this.times = times;
    this.moves = Uint8Array.from(difference, (value) => (value >= repeated ? 1 : 0));
  }

  /**
   * A quantile of the neighbours' values for each picture, without the picture itself.
   * @param fraction of the neighbours that lie below, 0–1
   */
  level(values: Float32Array, fraction: number): Float32Array {
    return values.map((_, place) => {
      let count = 0;
      let moving = 0;
      for (let step = 1; step <= maxPictures; step++) {
        const before = place - step;
        const after = place + step;
        const takesBefore = before >= 1 && (step <= minPictures || this.times[place]! - this.times[before]! <= reachSeconds);
        const takesAfter = after < values.length && (step <= minPictures || this.times[after]! - this.times[place]! <= reachSeconds);
        if (!takesBefore && !takesAfter) break;
        if (takesBefore) {
          this.scratch[count++] = values[before]!;
          if (this.moves[before] === 1) this.scratchMoving[moving++] = values[before]!;
        }
        if (takesAfter) {
          this.scratch[count++] = values[after]!;
          if (this.moves[after] === 1) this.scratchMoving[moving++] = values[after]!;
        }
      }
      const chosen = moving >= enough ? this.scratchMoving.subarray(0, moving) : this.scratch.subarray(0, count);
      return chosen.length === 0 ? 0 : chosen.sort()[Math.floor((chosen.length - 1) * fraction)]!;
    });
  }

  /** The largest value among the nearest two non-repeated pictures on each side, without the picture itself. */
  peak(values: Float32Array): Float32Array {
    return values.map((_, place) => Math.max(this.peakBeside(values, place, -1), this.peakBeside(values, place, 1)));
  }

  private peakBeside(values: Float32Array, place: number, direction: 1 | -1): number {
    let peak = 0;
    let seen = 0;
    for (let other = place + direction; other >= 1 && other < values.length && seen < 2; other += direction) {
      if (seen + Math.abs(other - place) > 2 && Math.abs(this.times[other]! - this.times[place]!) > peakSeconds) break;
      if (this.moves[other] === 0) continue;
      peak = Math.max(peak, values[other]!);
      seen++;
    }
    return peak;
  }
}
