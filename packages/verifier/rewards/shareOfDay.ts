/** Inputs of a node's share in the reward of a day. Amounts are in the smallest units of the reward token. */
export interface DayTerms {
  /** Reward of the day, shared by all credited nodes. */
  reward: bigint;
  /** Licenses of all credited nodes, including this node's. */
  licensesOfAll: bigint;
  /** Licenses of the node. */
  licenses: bigint;
  /** Part that the node keeps (commission), in 1/10000. */
  commissionRate: bigint;
}

/** A node's share: what the node itself gets, and what its licenses get together and each. */
export interface DayShare {
  node: bigint;
  delegators: bigint;
  perLicense: bigint;
}

const wholeRate = 10_000n;

/** The two formulas by which contracts divide a reward; `formula` is for display. Every division rounds down. */
export const divisions = {
  /** Vouch's contract computes the node's share first; the remainder of dividing the share among the licenses stays with the node. */
  'by node': {
    formula: 'share = reward × licenses / licenses of all; per license = (share − share × commission) / licenses; node = share − licenses × per license',
    divide({ reward, licensesOfAll, licenses, commissionRate }: DayTerms): DayShare {
      if (licenses === 0n || licensesOfAll === 0n) return { node: 0n, delegators: 0n, perLicense: 0n };
      const share = (reward * licenses) / licensesOfAll;
      const perLicense = (share - (share * commissionRate) / wholeRate) / licenses;
      return { node: share - perLicense * licenses, delegators: perLicense * licenses, perLicense };
    },
  },
  /** The upstream contract computes the amount per license first. */
  'by license': {
    formula: 'unit = reward / licenses of all; per license = unit − unit × commission; node = licenses × unit × commission',
    divide({ reward, licensesOfAll, licenses, commissionRate }: DayTerms): DayShare {
      if (licensesOfAll === 0n) return { node: 0n, delegators: 0n, perLicense: 0n };
      const unit = reward / licensesOfAll;
      const commission = (unit * commissionRate) / wholeRate;
      return { node: commission * licenses, delegators: (unit - commission) * licenses, perLicense: unit - commission };
    },
  },
} as const;

export type Division = keyof typeof divisions;
