import { expect, it } from 'vitest';
import { captionFilter } from './captionFilter.ts';

it('a path with signs of the filter language stays one path', () => {
  expect(captionFilter('/data/a b.ass')).toBe('ass=filename=/data/a b.ass');
  expect(captionFilter("/a:b,c;d[e]'f/g.ass")).toBe("ass=filename=/a\\\\:b\\,c\\;d\\[e\\]\\\\\\'f/g.ass");
});
