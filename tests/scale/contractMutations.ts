import { catchMutants } from '../../packages/chain/contracts/mutants/catchMutants.ts';
import { mutants } from '../../packages/chain/contracts/mutants/mutants.ts';
import { findForge } from '../../packages/chain/contracts/test/support/findForge.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

/** Selects the mutants whose file or text matches this pattern, for work on single mutants. */
const only = new RegExp(process.env['VOUCH_TEST_MUTANTS'] ?? '');

/** Applies each fault of `packages/chain/contracts/mutants/mutants.ts` to the contracts, one at a time. */
export const contractMutations: HeavyTest = {
  name: 'contract-mutations',
  guarantee: `each of ${mutants.length} hand-made faults in the contracts is caught by a test in Solidity`,
  variables: ['VOUCH_TEST_MUTANTS'],
  skip: async () => (findForge() === null ? `npm has no forge for ${process.platform}-${process.arch}` : null),
  async run(print) {
    const chosen = mutants.filter(({ file, what, find }) => only.test(`${file} ${what} ${find}`));
    const judged = await catchMutants(findForge() as string, chosen, ({ mutant, caughtBy }) => {
      print(`${caughtBy === null ? 'SURVIVED' : 'caught  '} ${mutant.file.padEnd(42)} ${mutant.what}${caughtBy === null ? '' : ` | ${caughtBy}`}`);
    });
    const survivors = judged.filter(({ caughtBy }) => caughtBy === null).map(({ mutant: { file, what } }) => `${file}: ${what}`);
    print(`${judged.length - survivors.length} of ${judged.length} caught`);
    expectEqual('mutants that survived', survivors, []);
  },
};
