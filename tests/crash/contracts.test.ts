import { expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { killDeployment } from './contracts/killedDeployment.ts';

const every = exhaustive ? 1 : 4;

// Kills at each transaction once, and in a sample at every fourth, alternately before and after the chain receives the transaction. For both moments at each
// transaction: npm run test:heavy -- killed-deployment.
it('a deployment that is killed at each of its transactions, before or after the chain has it, makes every contract once', async () => {
  const { kills, state, steps, sent } = await killDeployment((place) => (place % every > 0 ? [] : [place / every % 2 === 0 ? 'before' : 'after']));
  expect(state).toBe('complete');
  expect(kills).toBe(Math.ceil(steps.length / every));
  expect(steps.length).toBeGreaterThan(10);
  expect(steps).toEqual(steps.map((_, at) => ({ nonces: [at], firstMined: true })));
  expect(sent).toBe(steps.length);
});
