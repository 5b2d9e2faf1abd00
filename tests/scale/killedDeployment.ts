import { killDeployment } from '../crash/contracts/killedDeployment.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

export const killedDeployment: HeavyTest = {
  name: 'killed-deployment',
  guarantee: 'a deployment that is killed at each of its transactions, before and after the chain has it, makes every contract once',
  skip: async () => null,
  run: async (print) => {
    const { kills, state, steps, sent } = await killDeployment(() => ['before', 'after']);
    print(`${kills} kills, ${steps.length} transactions`);
    expectEqual('state of the deployment', state, 'complete');
    expectEqual('kills', kills, 2 * steps.length);
    expectEqual('steps', steps, steps.map((_, at) => ({ nonces: [at], firstMined: true })));
    expectEqual('transactions of the account', sent, steps.length);
  },
};
