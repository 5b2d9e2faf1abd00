/** Half the width of what counts as the neighbourhood of a picture, seconds. */
const reachSeconds = 0.6;
/** The same in pictures: at least, for few pictures a second, and at most, so that 120 a second cost no more. */
const fewestPictures = 5;
const mostPictures = 40;

/**
 * What is usual around each picture: a quantile of its neighbours' values, itself left out. A cut must stand out from
 * it, so a shaking camera raises the bar and a still one lowers it.
 * @param times presentation times, seconds, ascending
 * @param fraction of the neighbours that lie below, 0–1
 */
export function localLevel(values: Float32Array, times: Float64Array, fraction: number): Float32Array {
  const levels = new Float32Array(values.length);
  const scratch = new Float32Array(2 * mostPictures);
  for (let place = 0; place < values.length; place++) {
    const time = times[place]!;
    let count = 0;
    for (let step = 1; step <= mostPictures && place - step >= 1; step++) {
      if (step > fewestPictures && time - times[place - step]! > reachSeconds) break;
      scratch[count++] = values[place - step]!;
    }
    for (let step = 1; step <= mostPictures && place + step < values.length; step++) {
      if (step > fewestPictures && times[place + step]! - time > reachSeconds) break;
      scratch[count++] = values[place + step]!;
    }
    levels[place] = count === 0 ? 0 : scratch.subarray(0, count).sort()[Math.floor((count - 1) * fraction)]!;
  }
  return levels;
}

/** The largest of the values next to each place, up to `reach` on both sides, itself left out. */
export function neighbourPeak(values: Float32Array, reach: number): Float32Array {
  return values.map((_, place) => {
    let peak = 0;
    for (let step = 1; step <= reach; step++) {
      peak = Math.max(peak, place - step >= 1 ? values[place - step]! : 0, place + step < values.length ? values[place + step]! : 0);
    }
    return peak;
  });
}
