import { catchMutants } from '../../packages/chain/contracts/mutants/catchMutants.ts';
import { mutants } from '../../packages/chain/contracts/mutants/mutants.ts';
import { findForge } from '../../packages/chain/contracts/test/support/findForge.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

/** Only mutants whose file or text matches this; for whoever works on some of them. */
const only = new RegExp(process.env['VOUCH_TEST_MUTANTS'] ?? '');

/** Faults of `packages/chain/contracts/mutants/mutants.ts`, each put into the contracts by itself. */
export const contractMutations: HeavyTest = {
  name: 'contract-mutations',
  guarantee: `each of ${mutants.length} hand-made faults in the contracts is caught by a test in Solidity`,
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
