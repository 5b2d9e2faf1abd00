/** Half the width of what counts as the neighbourhood of a picture, seconds. */
const reachSeconds = 0.6;
/** The same in pictures: at least, for few pictures a second, and at most, so that 120 a second cost no more. */
const minPictures = 5;
const maxPictures = 40;

/** A picture that differs less than this from the one before (mean luma, levels of grey) repeats it. */
const repeated = 0.15;
/** With so many neighbours that do not repeat, the others are left out. */
const enough = 4;

/** How far the next pictures that move are looked for, seconds: 5 times 1/15. */
const peakSeconds = 0.35;

/**
 * What is usual around each picture. A cut must stand out from it, so a shaking camera raises the bar and a still one
 * lowers it. Much of the web's video shows each picture two to five times; there the repetitions say nothing.
 */
export class Neighbourhood {
  private readonly times: Float64Array;
  private readonly moves: Uint8Array;
  private readonly scratch = new Float32Array(2 * maxPictures);
  private readonly scratchMoving = new Float32Array(2 * maxPictures);

  /**
   * @param times presentation times, seconds, ascending
   * @param difference of each picture to the one before, levels of grey
   */
  constructor(times: Float64Array, difference: Float32Array) {
    this.times = times;
    this.moves = Uint8Array.from(difference, (value) => (value >= repeated ? 1 : 0));
  }

  /**
   * A quantile of the neighbours' values for each picture, itself left out.
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

  /** The largest value of the next two pictures that move, on each side, itself left out. */
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
