import { stepNames, type Outcome, type OutcomeKind } from '@vouch/verifier/attestation/outcome';
import { makeTestKeys, makeTestWorld, type TestKeys } from '@vouch/verifier/attestation/testPki/makeTestWorld';
import { buildWorld, judgementOf } from '@vouch/verifier/attestation/testPki/testWorld';
import { verifyAttestation } from '@vouch/verifier/attestation/verifyAttestation';
import { seededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { askOracle, type OracleAnswer } from './askOracle.ts';
import { mutations, type Mutation } from './mutations.ts';

/** What many mutated worlds came to. */
export interface Comparison {
  worlds: number;
  /** Worlds that the oracle could judge. */
  judged: number;
  accepted: number;
  /** How often each reason ended an examination. */
  reasons: Map<string, number>;
  /** How many examinations got as far as each step. */
  reached: Map<string, number>;
  /** What the oracle accepted and we did not, by what it does not look at. */
  laxities: Map<string, number>;
  /** Differences that nothing explains. Empty, or there is a fault. */
  disagreements: string[];
}

/** A fixed date; every world is built around it. */
const date = new Date('2026-03-01T12:00:00Z');

/** Field by field in turn, the values by the seed: the same seeds are the same changes, under keys made anew. */
export function compareVerdicts(firstSeed: number, count: number): Comparison {
  const keys = makeTestKeys();
  const comparison: Comparison = { worlds: 0, judged: 0, accepted: 0, reasons: new Map(), reached: new Map(), laxities: new Map(), disagreements: [] };
  for (let seed = firstSeed; seed < firstSeed + count; seed += 1) compareOne(seed, keys, comparison);
  return comparison;
}

function compareOne(seed: number, keys: TestKeys, comparison: Comparison): void {
  const random = seededRandom(seed);
  // A fifth has a second change, so that checks hide each other in both orders.
  const changes: Mutation[] = [mutations[seed % mutations.length] as Mutation, ...(random.below(5) === 0 ? [random.pick(mutations)] : [])];
  const world = makeTestWorld(keys, date);
  for (const { change } of changes) change(world, random, keys);
  const built = buildWorld(world);
  const ours = verifyAttestation(built.info, judgementOf(built));
  const theirs = askOracle(built);
  count(comparison, ours);
  const fault = disagreement(changes, ours, theirs, comparison);
  if (fault !== null) comparison.disagreements.push(`seed ${seed}, ${changes.map(({ field }) => field).join(' and ')}: ${fault}`);
}

function count(comparison: Comparison, { reason, steps, kind }: Outcome): void {
  comparison.worlds += 1;
  if (kind === 'valid') comparison.accepted += 1;
  comparison.reasons.set(reason, (comparison.reasons.get(reason) ?? 0) + 1);
  for (const { name, outcome } of steps) if (outcome !== 'not reached') comparison.reached.set(name, (comparison.reached.get(name) ?? 0) + 1);
}

function disagreement(changes: readonly Mutation[], ours: Outcome, theirs: OracleAnswer, comparison: Comparison): string | null {
  const tell = `ours ${ours.kind} (${ours.reason}: ${ours.sentence}), the oracle ${theirs.accepted ? `accepts as ${theirs.status}` : `refuses: ${theirs.why}`}`;
  if (ours.reason === 'verifier-fault') return tell;
  const lax = changes.map(({ oracleIsLax }) => oracleIsLax).filter((what) => what !== undefined);
  if (lax.length > 0) {
    if (ours.kind === 'valid') return lax.every((what) => what.startsWith('harmless')) ? null : tell;
    if (theirs.accepted) for (const what of lax) comparison.laxities.set(what, (comparison.laxities.get(what) ?? 0) + 1);
    return null;
  }
  comparison.judged += 1;
  if (theirs.accepted !== (ours.kind === 'valid')) return tell;
  if (theirs.accepted) return ours.sentence.includes(`is ${theirs.status}`) || isConverged(theirs.status, ours.sentence) ? null : tell;
  return changes.length > 1 || kindsFor(theirs.why).includes(ours.kind) ? null : tell;
}

/** Ours keeps the need of configuration beside an outdated quoting enclave, as Intel's library does; the oracle takes the worse word. */
function isConverged(theirs: string, sentence: string): boolean {
  return theirs === 'OutOfDate' && sentence.includes('is OutOfDateConfigurationNeeded');
}

/** Which outcomes a refusal of the oracle can stand for. */
const refusals: readonly (readonly [RegExp, readonly OutcomeKind[]])[] = [
  [/decode quote|Unsupported DCAP|SGX TEE quote|Not enough data|certificates from quote|too short in quote|Intel extension|length mismatch/, ['invalid']],
  [/certificate chain|Certificate is|CaUsedAsEndEntity/, ['malicious', 'no-vote']],
  [/TCBInfo|QE Identity (?:issue|expired)|TcbInfo|QeIdentity|for tcb_info|for qe_identity|Fmspc|non-SGX|Unsupported QE Identity|too short for/, ['no-vote']],
  [/for qe_report|hash mismatch|ISV enclave report|JWK|QE (?:MRSIGNER|ISVPRODID|MISCSELECT|ATTRIBUTES)/, ['malicious']],
  [/Debug mode/, ['invalid', 'malicious']],
  [/TCB status is invalid/, ['invalid', 'no-vote']],
  [/No matching TCB level|ISVSVN|No TCB levels/, ['invalid']],
  [/asn1|ASN1|PEM|wrong tag|header too long/i, ['invalid', 'malicious', 'no-vote']],
];

function kindsFor(why: string): readonly OutcomeKind[] {
  return refusals.find(([pattern]) => pattern.test(why))?.[1] ?? [];
}

/** The comparison for people. */
export function tellComparison({ worlds, judged, accepted, reasons, reached, laxities }: Comparison): string {
  const list = (counts: Map<string, number>): string => [...counts].sort(([, left], [, right]) => right - left).map(([name, number]) => `${name} ${number}`).join(', ');
  return [
    `${worlds} mutated attestations, of which the oracle could judge ${judged}; ${accepted} are valid`,
    `reached: ${stepNames.map((name) => `${name} ${reached.get(name) ?? 0}`).join(', ')}`,
    `ended by: ${list(reasons)}`,
    `accepted by the oracle alone, which does not look at: ${list(laxities)}`,
  ].join('\n');
}
