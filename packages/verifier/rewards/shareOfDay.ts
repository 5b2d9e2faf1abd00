/** What the share of a node in the reward of a day follows from. Amounts in the smallest units of the reward token. */
export interface DayTerms {
  /** Shared by all nodes that the day is credited to. */
  reward: bigint;
  /** Licenses of all those nodes, this one's with them. */
  licensesOfAll: bigint;
  /** Licenses of the node. */
  licenses: bigint;
  /** Part that the node keeps, in 1/10000. */
  commissionRate: bigint;
}

/** A node's share: what the node itself gets, and what its licenses get together and each. */
export interface DayShare {
  node: bigint;
  delegators: bigint;
  perLicense: bigint;
}

const wholeRate = 10_000n;

/** The two ways in which contracts divide, with the formula for people. Every division drops what is left. */
export const divisions = {
  /** Ours: the node's share first; what cannot be divided among its licenses stays with the node. */
  'by node': {
    formula: 'share = reward × licenses / licenses of all; per license = (share − share × commission) / licenses; node = share − licenses × per license',
    divide({ reward, licensesOfAll, licenses, commissionRate }: DayTerms): DayShare {
      if (licenses === 0n || licensesOfAll === 0n) return { node: 0n, delegators: 0n, perLicense: 0n };
      const share = (reward * licenses) / licensesOfAll;
      const perLicense = (share - (share * commissionRate) / wholeRate) / licenses;
      return { node: share - perLicense * licenses, delegators: perLicense * licenses, perLicense };
    },
  },
  /** The upstream contract: what one license gets first. */
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
