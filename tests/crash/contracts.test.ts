import { expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { killDeployment } from './contracts/killedDeployment.ts';

// Kills at each transaction once, alternately before and after the chain receives the transaction. For both moments at each transaction: npm run test:heavy -- killed-deployment.
exhaustiveTest('a deployment that is killed at each of its transactions, before or after the chain has it, makes every contract once', async () => {
  const { kills, state, steps, sent } = await killDeployment((place) => [place % 2 === 0 ? 'before' : 'after']);
  expect(state).toBe('complete');
  expect(kills).toBe(steps.length);
  expect(steps.length).toBeGreaterThan(10);
  expect(steps).toEqual(steps.map((_, at) => ({ nonces: [at], firstMined: true })));
  expect(sent).toBe(steps.length);
});
