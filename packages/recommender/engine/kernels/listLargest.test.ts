import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRandom } from '../linear/random.ts';
import { KernelTools } from './kernelTools.ts';
import { PlainTools } from './plainTools.ts';
import { Workspace } from './workspace.ts';
import type { RowTools } from './rowTools.ts';

const kernels = new KernelTools(new Workspace(), 500);
const plain = new PlainTools();
const single = fc.float({ noNaN: true, min: Math.fround(-1e30), max: Math.fround(1e30) });

test('the kernel lists the largest keys above 0 as its plain twin does, with ties by index', () => {
  const keys = fc.array(fc.oneof(single, fc.constantFrom(0, -0, 1, 2, 0.5)), { maxLength: 400 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 0, max: 60 }), fc.nat(), (values, k, shuffle) => {
      const random = createRandom(shuffle);
      const order = [...values.keys()].map((n) => [random.uniform(), n] as const).sort((a, b) => a[0] - b[0]).map(([, n]) => n);
      const listedBy = (tools: RowTools): [number, number][] => {
        const [key, index, outKey, outIndex] = [tools.place(Float32Array.from(values)), tools.place(Int32Array.from(order)), tools.floats(k), tools.integers(k)];
        const count = tools.listLargest(key, index, values.length, k, outKey, outIndex);
        expect([[...key], [...index]]).toEqual([[...Float32Array.from(values)], order]);
        return Array.from({ length: count }, (_, n) => [outKey[n] as number, outIndex[n] as number]);
      };
      expect(listedBy(kernels)).toEqual(listedBy(plain));
    }),
    { numRuns: 400 },
  );
});
