import type { NumericField } from './attributeSink.ts';

const bins = 10;

interface NumberBins {
  /** Bin of each value. */
  bin: Int32Array;
  /** Content of each bin: `7` or `3.5–4.2`. */
  text: string[];
}

/** Splits numbers into ten bins with about equally many values. Equal values share a bin, so there may be fewer bins. */
export function binNumbers(numbers: NumericField): NumberBins {
  const sorted = Float64Array.from(numbers.values).sort();
  const starts: number[] = [];
  for (let bin = 0; bin < bins; bin++) {
    const start = sorted[Math.floor((bin * sorted.length) / bins)] as number;
    if (bin === 0 || start > (starts[starts.length - 1] as number)) starts.push(start);
  }
  const largest = starts.map(() => Number.NEGATIVE_INFINITY);
  const bin = new Int32Array(numbers.values.length);
  numbers.values.forEach((value, place) => {
    let of = starts.length - 1;
    while (of > 0 && value < (starts[of] as number)) of--;
    bin[place] = of;
    largest[of] = Math.max(largest[of] as number, value);
  });
  const text = starts.map((start, of) => (start === largest[of] ? String(start) : `${start}–${largest[of]}`));
  return { bin, text };
}
