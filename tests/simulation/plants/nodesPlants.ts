import type { PlantedFault } from './plantedFault.ts';

const verifier = 'packages/verifier';

/** Faults of scanning, reporting and sending of nodes. The simulation must find those with a seed. */
export const nodesPlants: readonly PlantedFault[] = [
  { name: 'an attempt is stored after it is sent', seed: 1, scenario: 'nodes', file: `${verifier}/reporting/gatewaySender.ts`, replace: '      await note(null);\n', by: '' },
  { name: 'a transaction is stored after it is sent', seed: 1, scenario: 'nodes', file: `${verifier}/reporting/ownSender.ts`, replace: '    this.#pending.add(pending);\n    await this.#pending.save();', by: '    this.#pending.add(pending);' },
  { name: 'blocks are scanned once', seed: null, scenario: 'nodes', file: `${verifier}/scanning/watchChain.ts`, replace: 'Math.max(limit, Math.min(behind(2), Math.max(behind(looksAgain), head.number - this.#range.blocks + 1)))', by: 'record.last.block + 1' },
  { name: 'the scans of an earlier run do not count', seed: null, scenario: 'nodes', file: `${verifier}/scanning/watchChain.ts`, replace: 'parts.record.checkpoints.slice(-looksAgain).map(({ block }) => block);', by: '[parts.record.last.block];' },
  { name: 'scans of a removed branch count', seed: null, scenario: 'nodes', file: `${verifier}/scanning/watchChain.ts`, replace: 'this.#scannedTo.map((block) => Math.min(block, fork));', by: '[...this.#scannedTo];' },
  { name: 'choices of a removed branch stay', seed: 1, scenario: 'nodes', file: `${verifier}/scanning/watchChain.ts`, replace: '      this.#forgetChoices(fork, Infinity);', by: '' },
  { name: 'a report that a reorganization removed counts', seed: 3, scenario: 'nodes', file: `${verifier}/reporting/checkReports.ts`, replace: `return state === 'reported' || state === 'missed' || state === 'withheld';`, by: `return state === 'missed' || state === 'withheld';` },
  { name: 'an endpoint that is behind decides that a report is missing', seed: null, scenario: 'nodes', file: `${verifier}/reporting/checkReports.ts`, replace: 'else if (hasHead) noteOpen', by: 'else noteOpen' },
  { name: 'a fork is sought by numbers of blocks alone', seed: 1, scenario: 'nodes', file: `${verifier}/scanning/findFork.ts`, replace: 'return outcome?.ok === true && parseNullable(parseBlock)(outcome.result)?.hash === hash;', by: 'return outcome?.ok === true && hash !== null;' },
  { name: 'a step of the clock holds reports back', seed: 6, scenario: 'nodes', file: `${verifier}/reporting/sendReports.ts`, replace: 'isDue(this.#attemptOf(each).nextAt, maxWaitMs, now)', by: '(this.#attemptOf(each).nextAt <= now)' },
  { name: 'pending transactions are forgotten at a restart', seed: 2, scenario: 'nodes', file: `${verifier}/reporting/pendingTransactions.ts`, replace: '(store?.transactions ?? []).map(', by: '(store?.transactions ?? []).slice(0, 0).map(' },
  { name: 'a transaction is never replaced', seed: 1, scenario: 'nodes', file: `${verifier}/reporting/ownSender.ts`, replace: 'else if (each.inherited ||', by: 'else if (false &&' },
  { name: 'the clock of the machine decides about expiry', seed: null, scenario: 'nodes', file: `${verifier}/membership/expiryOf.ts`, replace: 'Math.min(now + configuration.expirySeconds, chainNow + maxAhead)', by: 'now + configuration.expirySeconds' },
  { name: 'a membership message is sent once', seed: 4, scenario: 'nodes', file: `${verifier}/membership/keepMembership.ts`, replace: 'attempt.nextAt = system.clock.now() + patienceMs;', by: 'attempt.nextAt = system.clock.now() + maxWaitMs;' },
  { name: 'collateral that has ended counts', seed: 1, scenario: 'nodes', file: `${verifier}/attestation/collateral/chooseCrl.ts`, replace: 'validity(item)[0] <= now && now <= validity(item)[1]', by: 'validity(item)[0] <= now' },
  { name: 'collateral of a stranger counts', seed: 6, scenario: 'nodes', file: `${verifier}/attestation/collateral/chooseCrl.ts`, replace: 'issuer.maySignCrls ? candidates.filter((crl) => isSignedBy(crl.signed, issuer)) : [];', by: 'candidates;' },
  { name: 'the collateral of the start stays in use', seed: 1, scenario: 'nodes', file: `${verifier}/scanning/judgeAttestations.ts`, replace: 'if (now - this.#readAt < againMs) return;', by: 'if (this.#readAt > 0) return;' },
];
