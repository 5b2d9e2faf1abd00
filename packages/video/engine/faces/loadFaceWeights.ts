import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FaceWeights } from './faceNetwork.ts';

/** Layers of the network in the order of the file, with the shapes of their values. */
const outputs = [16, 32, 64, 128, 256, 512] as const;
const results = 25;
const model = '@vladmandic/face-api/model/tiny_face_detector_model';

/** Bytes of one array of the file: each is a value between `min` and `min + 255 * scale`. */
interface Stored {
  name: string;
  shape: number[];
  quantization: { dtype: string; scale: number; min: number };
}

/**
 * Loads the weights of the tiny face detector from the npm package `@vladmandic/face-api`, without its code.
 * @returns null if the package is not installed
 * @throws Error if the package does not contain the network that `runFaceNetwork` runs
 */
export async function loadFaceWeights(): Promise<FaceWeights | null> {
  const files = locate();
  if (files === null) return null;
  const [manifest, bytes] = await Promise.all([readFile(files.manifest, 'utf8'), readFile(files.values)]);
  return readWeights(JSON.parse(manifest) as [{ weights: Stored[] }], bytes);
}

function locate(): { manifest: string; values: string } | null {
  const { resolve } = createRequire(import.meta.url);
  try {
    return { manifest: resolve(`${model}-weights_manifest.json`), values: resolve(`${model}.bin`) };
  } catch {
    return null;
  }
}

function readWeights([{ weights }]: [{ weights: Stored[] }], bytes: Uint8Array): FaceWeights {
  let at = 0;
  const arrays = new Map<string, Float64Array>();
  for (const { name, shape, quantization: { scale, min } } of weights) {
    const length = shape.reduce((product, size) => product * size, 1);
    arrays.set(name, Float64Array.from(bytes.subarray(at, at + length), (value) => value * scale + min));
    at += length;
  }
  const take = (name: string, length: number): Float64Array => {
    const array = arrays.get(name);
    if (array?.length !== length) throw new Error(`${model}: ${name} has ${array?.length ?? 0} values, and not ${length}. Install the version of @vladmandic/face-api that package-lock.json names.`);
    return array;
  };
  return {
    first: { filters: byOutput(take('conv0/filters', 27 * outputs[0]), outputs[0]), bias: take('conv0/bias', outputs[0]) },
    separable: outputs.slice(1).map((output, index) => {
      const depth = outputs[index]!;
      const name = `conv${index + 1}`;
      return {
        depthwise: take(`${name}/depthwise_filter`, 9 * depth),
        pointwise: byOutput(take(`${name}/pointwise_filter`, depth * output), output),
        bias: take(`${name}/bias`, output),
      };
    }),
    last: { filters: byOutput(take('conv8/filters', outputs.at(-1)! * results), results), bias: take('conv8/bias', results) },
  };
}

/** Turns `[channel * outputs + output]` into `[output * channels + channel]`. */
function byOutput(values: Float64Array, count: number): Float64Array {
  const channels = values.length / count;
  return Float64Array.from(values, (_, at) => values[(at % channels) * count + Math.floor(at / channels)]!);
}
