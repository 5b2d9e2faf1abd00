import { findForge } from '../../packages/chain/contracts/test/support/findForge.ts';
import { runForge } from '../../packages/chain/contracts/test/support/runForge.ts';
import { expectTrue, type HeavyTest } from './heavyTest.ts';

const depth = 500;
const wanted = Number(process.env['VOUCH_TEST_CALLS'] ?? 1_000_000);

/** Runs the invariant tests of `test/Invariants.t.sol` on 250 times as many call sequences as `npm test`. */
export const contractHistories: HeavyTest = {
  name: 'contract-histories',
  guarantee: 'after a million calls that took effect, in random histories, the contracts agree with an account that is kept from their events alone',
  variables: ['VOUCH_TEST_CALLS', 'VOUCH_TEST_SEED'],
  skip: async () => (findForge() === null ? `npm has no forge for ${process.platform}-${process.arch}` : null),
  async run(print) {
    const suites = await runForge(findForge() as string, {
      // Uses a different seed than `npm test`.
      words: ['--match-path', '*Invariants.t.sol', '--fuzz-seed', process.env['VOUCH_TEST_SEED'] ?? '0x2'],
      environment: { FOUNDRY_INVARIANT_RUNS: String(Math.ceil(wanted / depth)), FOUNDRY_INVARIANT_DEPTH: String(depth) },
    });
    const [result] = Object.values(suites.get('Invariants.t.sol') ?? {});
    if (result?.kind.Invariant === undefined) throw new Error('forge found no invariant');
    const { calls, metrics } = result.kind.Invariant;
    for (const [name, action] of Object.entries(metrics)) {
      print(`${name.split('.').at(-1)?.padEnd(24)} ${String(action.calls - action.discards).padStart(8)} took effect, ${action.discards} were refused`);
    }
    expectTrue(`${result.status}: ${result.reason}`, result.status === 'Success');
    expectTrue(`${calls} calls are fewer than ${wanted}`, calls >= wanted);
    expectTrue('an action took effect in none of the histories', Object.values(metrics).every((action) => action.calls > action.discards));
    const refused = Object.values(metrics).reduce((sum, action) => sum + action.discards, 0);
    print(`${calls} calls that took effect and ${refused} that were refused, in histories of ${depth}; the contracts agree with the account of their events after each`);
  },
};
