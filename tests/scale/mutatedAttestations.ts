import { compareVerdicts, tellComparison } from '../fuzz/attestation/compareVerdicts.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

const total = 10_000;

export const mutatedAttestations: HeavyTest = {
  name: 'mutatedAttestations',
  guarantee: 'the verdicts on 10,000 mutated attestations, signed anew, are those of another implementation wherever it can judge',
  skip: async () => null,
  run: async (print) => {
    // Uses different seeds than `npm test`.
    const comparison = compareVerdicts(1_000_000, total);
    for (const line of tellComparison(comparison).split('\n')) print(line);
    expectEqual('disagreements', comparison.disagreements, []);
    expectEqual('attestations', comparison.worlds, total);
  },
};
