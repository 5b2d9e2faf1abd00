import { expect, it } from 'vitest';
import { parseTraceparent } from './traceparent.ts';

const id = '4bf92f3577b34da6a3ce929d0e0e4736';

it.each([[`00-${id}-00f067aa0ba902b7-01`], [`cc-${id}-00f067aa0ba902b7-01`], [`cc-${id}-00f067aa0ba902b7-01-what-the-future-brings`]])('%s names a trace', (header) => {
  expect(parseTraceparent(header)).toEqual({ traceId: id, spanId: '00f067aa0ba902b7', traceFlags: 1 });
});

it.each([
  [undefined], [''], [`00-${id}-00f067aa0ba902b7`], [`00-${id}-00f067aa0ba902b7-01-more`], [`ff-${id}-00f067aa0ba902b7-01`], [`00-${id.toUpperCase()}-00f067aa0ba902b7-01`],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`], [`00-${id}-${'0'.repeat(16)}-01`], [`00-${id}-00f067aa0ba902b7-01\n`], [['00', id]],
])('%s names none', (header) => {
  expect(parseTraceparent(header)).toBeNull();
});
