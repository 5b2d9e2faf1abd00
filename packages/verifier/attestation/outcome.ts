/** Reason codes by kind of outcome. Logs, exported bundles and the status contain these codes: never give a code a new meaning. */
export const reasonsByKind = {
  valid: ['verified'],
  invalid: [
    'info-too-large', 'info-not-base64', 'info-not-brotli', 'quote-unreadable', 'quote-unsupported', 'certificates-unreadable',
    'debug-enclave', 'enclave-not-allowed', 'tcb-refused', 'tcb-not-listed',
  ],
  malicious: [
    'root-not-trusted', 'chain-broken', 'certificate-outside-validity', 'certificate-revoked', 'qe-report-forged', 'attestation-key-unbound',
    'quote-forged', 'qe-not-genuine',
  ],
  'no-vote': ['collateral-missing', 'collateral-stale', 'collateral-forged', 'collateral-unreadable', 'verifier-fault'],
} as const;

export type OutcomeKind = keyof typeof reasonsByKind;
type ReasonOf<Kind extends OutcomeKind> = (typeof reasonsByKind)[Kind][number];
export type Reason = ReasonOf<OutcomeKind>;

export type StepValue = string | number | boolean | null | readonly string[] | readonly number[];

/** One check of a verification. */
export interface Step {
  name: StepName;
  outcome: 'passed' | 'failed' | 'not reached';
  /** The compared values by display name. Bytes are lower-case hex, times ISO 8601. */
  values: Readonly<Record<string, StepValue>>;
}

/** All checks in order, each with the statement that the check proves. The order affects votes: see verifyAttestation. */
export const stepTitles = {
  decode: 'The info is base64-encoded brotli within the size limits',
  parse: 'The data is an SGX quote of version 3 with its certificates',
  chain: 'The certificate chain ends at the trusted root',
  'qe-report': 'The platform key signed the report of the quoting enclave',
  binding: 'The report of the quoting enclave names the attestation key',
  signature: 'The attestation key signed the quote',
  debug: 'The enclave does not run in debug mode',
  enclave: 'The enclave is on the allow list',
  crls: 'The revocation lists are present, authentic and valid',
  revocation: 'No certificate is revoked',
  'qe-identity': 'The identity of the quoting enclave is present, authentic and valid',
  'quoting-enclave': 'The quoting enclave is genuine',
  'tcb-info': 'The TCB levels of the platform are present, authentic and valid',
  'tcb-level': 'The policy accepts the TCB level of the platform and its quoting enclave',
} as const;

export type StepName = keyof typeof stepTitles;
export const stepNames = Object.keys(stepTitles) as StepName[];

interface Examined {
  /** keccak256 of the info text: 0x and 64 hex digits. */
  attestationId: string;
  /** The result with its values in one sentence. */
  sentence: string;
  /** The date for which the attestation was verified, ISO 8601. */
  date: string;
  /** Every step in stepTitles; the steps after the first failure are 'not reached'. */
  steps: readonly Step[];
  /** Names of the collateral files that the outcome relied on. */
  collateralFiles: readonly string[];
}

/**
 * Outcome of verifying an attestation. `result` is the value that the node votes. If `result` is null, the node does not vote and
 * raises an alarm: the node lacks collateral or has failed, which says nothing about the attestation.
 */
export type Outcome =
  | (Examined & { kind: 'valid'; result: 0; reason: ReasonOf<'valid'> })
  | (Examined & { kind: 'invalid'; result: 1; reason: ReasonOf<'invalid'> })
  | (Examined & { kind: 'malicious'; result: 2; reason: ReasonOf<'malicious'> })
  | (Examined & { kind: 'no-vote'; result: null; reason: ReasonOf<'no-vote'> });

/** Builds the outcome for a reason code. */
export function outcomeOf(reason: Reason, examined: Examined): Outcome {
  if (isOf('valid', reason)) return { kind: 'valid', result: 0, reason, ...examined };
  if (isOf('invalid', reason)) return { kind: 'invalid', result: 1, reason, ...examined };
  if (isOf('malicious', reason)) return { kind: 'malicious', result: 2, reason, ...examined };
  return { kind: 'no-vote', result: null, reason, ...examined };
}

function isOf<Kind extends OutcomeKind>(kind: Kind, reason: Reason): reason is ReasonOf<Kind> {
  const codes: readonly string[] = reasonsByKind[kind];
  return codes.includes(reason);
}
