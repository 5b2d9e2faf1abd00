import { expect, it } from 'vitest';
import { parseRange } from './parseRange.ts';

it.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=0-', { start: 0, end: 100 }],
  ['bytes=10-19', { start: 10, end: 20 }],
  ['bytes=90-500', { start: 90, end: 100 }],
  ['bytes=-10', { start: 90, end: 100 }],
  ['bytes=-500', { start: 0, end: 100 }],
  ['bytes= 5-6 ', { start: 5, end: 7 }],
])('%s is a part of 100 bytes', (header, part) => {
  expect(parseRange(header, 100)).toEqual(part);
});

it.each([undefined, '', 'bytes', 'bytes=-', 'bytes=5-4', 'bytes=a-b', 'items=0-1', 'bytes=0-1,5-6', 'bytes=1.5-2', `bytes=${'9'.repeat(40)}-`])(
  '%s asks for the whole', (header) => {
    expect(parseRange(header, 100)).toBeNull();
  });

it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('%s asks for nothing that is there', (header) => {
  expect(parseRange(header, 100)).toBe('unsatisfiable');
});
