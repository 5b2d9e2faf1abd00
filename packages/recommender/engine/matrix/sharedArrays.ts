/**
 * Arrays in memory shared by all threads. Other arrays in a task are copied to each thread, and the attributes of a million
 * items take a third of a gigabyte.
 */
export const sharedIntegers = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * length));

export const sharedDoubles = (length: number): Float64Array => new Float64Array(new SharedArrayBuffer(8 * length));

/** A shared array with one float for each number of another array. */
export function sharedFloats(from: Int32Array, value: (number: number) => number): Float32Array {
  const floats = new Float32Array(new SharedArrayBuffer(4 * from.length));
  for (let place = 0; place < from.length; place++) floats[place] = value(from[place] as number);
  return floats;
}
