/** Values of a picture or of a layer: `data[(y * width + x) * depth + channel]`. */
export interface Layer {
  width: number;
  height: number;
  depth: number;
  data: Float64Array;
}

/** A 3 × 3 filter per channel, then a weighted sum of the channels for each output. */
interface SeparableWeights {
  /** `[(row * 3 + column) * depth + channel]`. */
  depthwise: Float64Array;
  /** `[output * depth + channel]`. */
  pointwise: Float64Array;
  bias: Float64Array;
}

export interface FaceWeights {
  /** The first 3 × 3 filters over colours: `[output * 27 + (row * 3 + column) * 3 + colour]`. */
  first: { filters: Float64Array; bias: Float64Array };
  separable: readonly SeparableWeights[];
  /** `[output * depth + channel]`. */
  last: { filters: Float64Array; bias: Float64Array };
}

/** Slope of the activation for negative values. */
const leak = 0.1;

/**
 * Runs the network of the tiny face detector: filters, each followed by the maximum of 2 × 2 values. The last maximum keeps the size, so a cell of
 * the result covers 32 × 32 pixels. The form is that of Tiny YOLO v2 (Redmon and Farhadi 2017) with separable filters.
 * @param picture colours minus their means, divided by 255; width and height are multiples of 32
 */
export function runFaceNetwork({ first, separable, last }: FaceWeights, picture: Layer): Layer {
  let layer = maximum(filterColours(picture, first), 2);
  for (const [index, weights] of separable.entries()) layer = maximum(filterSeparably(layer, weights), index === separable.length - 1 ? 1 : 2);
  return combine(layer, last.filters, last.bias);
}

/** Filters the colours. The result lacks the outermost pixels, because they do not have neighbours on all sides. */
function filterColours(picture: Layer, { filters, bias }: FaceWeights['first']): Layer {
  return activate(combine(surroundings(picture), filters, bias));
}

/** The 27 values of the 3 × 3 pixels around each pixel. */
function surroundings({ width, height, data }: Layer): Layer {
  const [across, down] = [width - 2, height - 2];
  const result = new Float64Array(across * down * 27);
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      for (let row = 0; row < 3; row++) {
        const from = ((y + row) * width + x) * 3;
        result.set(data.subarray(from, from + 9), (y * across + x) * 27 + row * 9);
      }
    }
  }
  return { width: across, height: down, depth: 27, data: result };
}

function filterSeparably(layer: Layer, { depthwise, pointwise, bias }: SeparableWeights): Layer {
  return activate(combine({ ...layer, data: filterEach(layer, depthwise) }, pointwise, bias));
}

/** Filters each channel with its own 3 × 3 filter; values beyond the edges are 0. */
function filterEach({ width, height, depth, data }: Layer, filters: Float64Array): Float64Array {
  const result = new Float64Array(data.length);
  for (let y = 0; y < height; y++) {
    for (let row = Math.max(0, 1 - y); row < Math.min(3, height + 1 - y); row++) {
      for (let x = 0; x < width; x++) {
        const to = (y * width + x) * depth;
        for (let column = Math.max(0, 1 - x); column < Math.min(3, width + 1 - x); column++) {
          const from = ((y + row - 1) * width + x + column - 1) * depth;
          const filter = (row * 3 + column) * depth;
          for (let channel = 0; channel < depth; channel++) result[to + channel]! += data[from + channel]! * filters[filter + channel]!;
        }
      }
    }
  }
  return result;
}

/**
 * Weighted sums of the channels of each pixel, with as many outputs as biases. Two pixels and four outputs at a time take a third of the time of one after
 * another.
 */
function combine({ width, height, depth, data }: Layer, weights: Float64Array, bias: Float64Array): Layer {
  const outputs = bias.length;
  const result = new Float64Array(width * height * outputs);
  const last = width * height - 1;
  for (let pixel = 0; pixel <= last; pixel += 2) {
    const other = Math.min(pixel + 1, last);
    for (let output = 0; output < outputs; output += 4) {
      const first = output * depth;
      // Beyond the last output, the last one is summed again.
      const second = Math.min(output + 1, outputs - 1) * depth;
      const third = Math.min(output + 2, outputs - 1) * depth;
      const fourth = Math.min(output + 3, outputs - 1) * depth;
      let one = 0, two = 0, three = 0, four = 0, five = 0, six = 0, seven = 0, eight = 0;
      for (let channel = 0, here = pixel * depth, there = other * depth; channel < depth; channel++, here++, there++) {
        const value = data[here]!;
        const beside = data[there]!;
        const firstWeight = weights[first + channel]!;
        const secondWeight = weights[second + channel]!;
        const thirdWeight = weights[third + channel]!;
        const fourthWeight = weights[fourth + channel]!;
        one += value * firstWeight;
        two += value * secondWeight;
        three += value * thirdWeight;
        four += value * fourthWeight;
        five += beside * firstWeight;
        six += beside * secondWeight;
        seven += beside * thirdWeight;
        eight += beside * fourthWeight;
      }
      put(result, pixel * outputs, bias, output, one, two, three, four);
      put(result, other * outputs, bias, output, five, six, seven, eight);
    }
  }
  return { width, height, depth: outputs, data: result };
}

function put(result: Float64Array, from: number, bias: Float64Array, output: number, one: number, two: number, three: number, four: number): void {
  const left = bias.length - output;
  result[from + output] = one + bias[output]!;
  if (left > 1) result[from + output + 1] = two + bias[output + 1]!;
  if (left > 2) result[from + output + 2] = three + bias[output + 2]!;
  if (left > 3) result[from + output + 3] = four + bias[output + 3]!;
}

function activate(layer: Layer): Layer {
  const { data } = layer;
  for (let at = 0; at < data.length; at++) if (data[at]! < 0) data[at]! *= leak;
  return layer;
}

/** Takes the maximum of each window of 2 × 2 values; windows are `stride` values apart. A window at the right or lower edge has fewer values. */
function maximum({ width, height, depth, data }: Layer, stride: 1 | 2): Layer {
  const [across, down] = [Math.ceil(width / stride), Math.ceil(height / stride)];
  const result = new Float64Array(across * down * depth).fill(Number.NEGATIVE_INFINITY);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * depth;
      for (const row of placesOf(y, stride)) {
        for (const column of placesOf(x, stride)) {
          const to = (row * across + column) * depth;
          for (let channel = 0; channel < depth; channel++) if (data[from + channel]! > result[to + channel]!) result[to + channel] = data[from + channel]!;
        }
      }
    }
  }
  return { width: across, height: down, depth, data: result };
}

/** Places of the result whose maximum includes a value. */
function placesOf(at: number, stride: 1 | 2): readonly number[] {
  if (stride === 2) return [at >> 1];
  return at === 0 ? [0] : [at - 1, at];
}
