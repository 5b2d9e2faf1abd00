/** The numbers of a deployment, as its settings contract holds them. Durations are in seconds. */
export interface Rules {
  /** How long chosen nodes may report. */
  reportWindow: number;
  /** How far ahead a signed message may expire. */
  maxExpiry: number;
  /** Least time between two changes of a commission. */
  commissionInterval: number;
  /** Length of a day of rewards; never changes after the deployment. */
  dayLength: number;
  /** How long a node has to be active in a day to earn. */
  minOnline: number;
  maxActiveNodes: number;
  /** Nodes that are chosen for an attestation. */
  maxChosenNodes: number;
  /** Largest increase of a commission at once, in 1/10000. */
  maxCommissionIncrease: number;
  /** Missed reports that end a membership of the active set. */
  maxMissedReports: number;
  /** Licenses that others may delegate to one node. */
  maxDelegations: number;
}

/** What makes votes a verdict, as the settings contract holds it. Durations are in seconds. */
export interface VerdictRules {
  /** Part of the chosen nodes, in 1/10000, that has to be exceeded by those that voted; 5000: more than half. */
  quorum: number;
  /** How long after a request anybody may ask for the random word again. */
  randomnessRetry: number;
  /** How long after its report an attestation waits for a random word; then it ends without chosen nodes. */
  selectionPeriod: number;
  /** How long a proposal to slash a contradicting vote can be disputed. */
  slashDelay: number;
}

const hour = 3_600;

/** The rules of a production deployment. */
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

/** What makes a verdict in a production deployment. */
export const defaultVerdictRules: VerdictRules = {
  quorum: 5_000,
  randomnessRetry: hour / 6,
  selectionPeriod: 24 * hour,
  slashDelay: 72 * hour,
};

/** Rules that can be lived through on a local chain: reports within 2 minutes, a commission every minute, days of 10 minutes. */
export const localRules: Rules = {
  ...defaultRules,
  reportWindow: 120,
  commissionInterval: 60,
  dayLength: 600,
  minOnline: 150,
};

/** A random word again after half a minute, an end without one after 10 minutes, disputes for a minute. */
export const localVerdictRules: VerdictRules = {
  ...defaultVerdictRules,
  randomnessRetry: 30,
  selectionPeriod: 600,
  slashDelay: 60,
};
