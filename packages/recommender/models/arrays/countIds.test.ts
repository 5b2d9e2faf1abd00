import { expect, it } from 'vitest';
import { trainingData } from '../../testing/testData.ts';
import { countIds } from './countIds.ts';

it('counts each id once, as source, target or both, with and without an entity', () => {
  const data = trainingData([['f1', 'film'], ['f3', 'film'], ['u2', 'user']], [['u1', 'f1'], ['u2', 'f1'], ['u2', 'f2'], ['f1', 'f2']]);
  const liked = { sources: 3, targets: 2, shared: 1, sources_without_entity: 1, targets_without_entity: 1, padded: 0 };
  expect(countIds(data)).toEqual(liked);
  const [f2, f3] = ['f2', 'f3'].map((id) => data.nodes.ids.indexOf(id)) as [number, number];
  const dislikes = { count: 1, source: Int32Array.of(f2), target: Int32Array.of(f3), weight: Float32Array.of(-1) };
  expect(countIds({ ...data, dislikes })).toEqual({ ...liked, sources: 4, targets: 3, shared: 2, sources_without_entity: 2 });
});

it('finds ids with blanks at an end, and ids that mean a missing value', () => {
  const data = trainingData([['f1', 'film'], [' f2', 'film']], [['u1', 'f1'], ['u1 ', 'f1'], ['NULL', 'f1'], ['undefined', 'f1'], ['nullable', 'f1'], ['u2\u00a0', '\\N']]);
  expect(countIds(data)).toMatchObject({ padded: 3, placeholders: ['NULL', '\\N', 'undefined'] });
});
