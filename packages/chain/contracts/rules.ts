/** Rules of a deployment, stored in its settings contract. Durations are in seconds. */
export interface Rules {
  /** Time in which chosen nodes may report. */
  reportWindow: number;
  /** Maximum lifetime of a signed message. */
  maxExpiry: number;
  /** Minimum time between two changes of a commission. */
  commissionInterval: number;
  /** Length of a reward day; cannot change after the deployment. */
  dayLength: number;
  /** Minimum time in the active set for earning a day. */
  minOnline: number;
  maxActiveNodes: number;
  /** Maximum number of nodes chosen for an attestation. */
  maxChosenNodes: number;
  /** Maximum increase of a commission per change, in 1/10000. */
  maxCommissionIncrease: number;
  /** Number of missed reports that removes a node from the active set. */
  maxMissedReports: number;
  /** Maximum number of licenses delegated to one node. */
  maxDelegations: number;
}

/** Rules of verdicts, stored in the settings contract. Durations are in seconds. */
export interface VerdictRules {
  /** Fraction of the chosen nodes, in 1/10000, that the votes must exceed; 5000: more than half. */
  quorum: number;
  /** Time after a request until anyone may request the random word again. */
  randomnessRetry: number;
  /** Time that an attestation waits for a random word; afterwards the attestation ends without chosen nodes. */
  selectionPeriod: number;
  /** Time in which a proposed slash of a contradicting vote can be disputed. */
  slashDelay: number;
}

const hour = 3_600;

/** Rules of a production deployment. */
export const defaultRules: Rules = {
  reportWindow: hour / 2,
  maxExpiry: 6 * hour,
  commissionInterval: 7 * 24 * hour,
  dayLength: 24 * hour,
  minOnline: 6 * hour,
  maxActiveNodes: 2_000,
  maxChosenNodes: 200,
  maxCommissionIncrease: 500,
  maxMissedReports: 2,
  maxDelegations: 100,
};

/** Verdict rules of a production deployment. */
export const defaultVerdictRules: VerdictRules = {
  quorum: 5_000,
  randomnessRetry: hour / 6,
  selectionPeriod: 24 * hour,
  slashDelay: 72 * hour,
};

/** Rules with short periods for local chains: reports within 2 minutes, a commission change per minute, days of 10 minutes. */
export const localRules: Rules = {
  ...defaultRules,
  reportWindow: 120,
  commissionInterval: 60,
  dayLength: 600,
  minOnline: 150,
};

/** Short periods for local chains: a random word can be requested again after 30 s, selection ends after 10 minutes, disputes after one minute. */
export const localVerdictRules: VerdictRules = {
  ...defaultVerdictRules,
  randomnessRetry: 30,
  selectionPeriod: 600,
  slashDelay: 60,
};
