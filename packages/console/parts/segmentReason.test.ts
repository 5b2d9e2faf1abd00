import { expect, it } from 'vitest';
import { describeReason } from './segmentReason.ts';

it('calls motion and sound strong only where they are unusual for the video, and claims no speech', () => {
  const told = [{ kind: 'motion', share: 0.45, value: 0.9 }, { kind: 'motion', share: 0.16, value: 0.07 }, { kind: 'sound', share: 0.2, value: 0.5 }, { kind: 'speech', share: 0.4, value: 0.8 }, { kind: 'query', share: 0.3 }].map(describeReason);
  expect(told).toEqual(['strong motion 45 %', 'motion 16 %', 'strong sound 20 %', 'sound that resembles speech 40 %', 'matches the query 30 %']);
});
