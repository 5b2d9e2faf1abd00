import { defaultRules, defaultVerdictRules } from '@vouch/chain/contracts/rules';
import { Type, type Static, type TInteger, type TString } from 'typebox';

const hour = 3_600;
const year = 365 * 24 * hour;

const address = (description: string): TString => Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', range: 'an Ethereum address: 0x and 40 hex digits', description });
const addresses = (description: string, others: { minItems?: number; default?: string[] }) => Type.Array(address(''), {
  maxItems: 100, range: `a list of ${others.minItems === undefined ? '' : 'at least one of '}Ethereum addresses`, description, ...others,
});
/** A whole number as text, because amounts exceed the integer range of TOML numbers. */
const amount = (description: string, fallback?: string): TString => Type.String({
  pattern: '^(?:0|[1-9]\\d{0,77})$', range: 'a whole number as text, in the smallest unit', description, ...(fallback === undefined ? {} : { default: fallback }),
});
const name = (description: string, fallback: string): TString => Type.String({ minLength: 1, maxLength: 64, default: fallback, description });
const seconds = (description: string, fallback: number, minimum = 1): TInteger => Type.Integer({ minimum, maximum: year, default: fallback, description });
const count = (description: string, fallback: number, maximum: number): TInteger => Type.Integer({ minimum: 1, maximum, default: fallback, description });

/** Schema of the deployment file. Sections are TOML tables; durations are in seconds. */
export const DeploymentFile = Type.Object({
  chain_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Id of the chain; must match the id that the RPC endpoints return.' }),
  owner: address('Who owns the contracts, best a multisig; with a timelock, who proposes and executes its operations.'),
  domain: Type.Object({
    name: name('Name of the typed-data domain that operators sign for.', 'ProtocolService'),
    version: name('Version of that domain. Each deployment on a chain needs its own, or messages signed for one count in the other.', '1.0.0'),
  }),
  timelock: Type.Optional(Type.Object({
    delay: seconds('How long an operation waits between its proposal and its execution.', 48 * hour),
    proposers: Type.Optional(addresses('Who may propose and cancel operations. The owner, unless given.', { minItems: 1 })),
    executors: Type.Optional(addresses('Who may execute operations after the delay; the zero address stands for everybody. The owner, unless given.', { minItems: 1 })),
  })),
  roles: Type.Object({
    tees: addresses('Who may report attestations.', { default: [] }),
    slashers: addresses('Who may propose to slash a vote against a verdict.', { default: [] }),
    arbiters: addresses('Who may dispute such a proposal and decide on it.', { default: [] }),
  }),
  license: Type.Object({
    name: name('Name of the license token (ERC-721).', 'Verifier License'),
    symbol: name('Symbol of the license token.', 'VLICENSE'),
  }),
  reward_token: Type.Object({
    address: Type.Optional(address('The ERC-20 that rewards are paid in. Without it a new token is made, from the other keys of this section.')),
    name: name('Name of a new token.', 'Verifier Reward'),
    symbol: name('Symbol of a new token.', 'VREWARD'),
    supply: amount('All that there ever is of a new token.', `1${'0'.repeat(27)}`),
    holder: Type.String({ pattern: '^(?:pool|0x[0-9a-fA-F]{40})$', range: '"pool", or an Ethereum address', default: 'pool', description: 'Who gets a new token\'s whole supply: the pool that rewards are paid from, or somebody who fills the pool later.' }),
  }),
  rewards: Type.Object({
    daily: amount('What all nodes of a day share.', `1000${'0'.repeat(18)}`),
    slash: amount('What a slash takes at most.', `1${'0'.repeat(18)}`),
  }),
  randomness: Type.Object({
    coordinator: address('The coordinator of random words (Chainlink VRF v2.5).'),
    subscription_id: amount('The subscription that pays for random words.'),
    key_hash: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$', range: '0x and 64 hex digits', description: 'The oracle\'s key, which also bounds the gas price of its answers.' }),
    request_confirmations: Type.Integer({ minimum: 1, maximum: 200, default: 3, description: 'Blocks that the oracle waits before it answers.' }),
    callback_gas_limit: Type.Integer({ minimum: 100_000, maximum: 30_000_000, default: 2_500_000, description: 'Gas of an answer, the choosing of the nodes included.' }),
    native_payment: Type.Boolean({ default: false, description: 'Whether the subscription pays in the chain\'s own coin.' }),
  }),
  settings: Type.Object({
    change_delay: seconds('How long a change of settings is announced before it takes effect, for ever.', 48 * hour, 0),
    report_window: seconds('How long chosen nodes may report.', defaultRules.reportWindow),
    max_expiry: seconds('How far ahead a signed message may expire.', defaultRules.maxExpiry),
    commission_interval: seconds('Least time between two changes of a commission.', defaultRules.commissionInterval),
    day_length: seconds('Length of a day of rewards, for ever.', defaultRules.dayLength),
    min_online: seconds('How long a node has to be active in a day to earn; less than a day.', defaultRules.minOnline),
    max_active_nodes: count('Size of the active set.', defaultRules.maxActiveNodes, 10_000),
    max_chosen_nodes: count('Nodes that are chosen for an attestation.', defaultRules.maxChosenNodes, 1_000),
    max_commission_increase: count('Largest increase of a commission at once, in 1/10000.', defaultRules.maxCommissionIncrease, 10_000),
    max_missed_reports: count('Missed reports that end a membership of the active set.', defaultRules.maxMissedReports, 65_535),
    max_delegations: count('Licenses that others may delegate to one node.', defaultRules.maxDelegations, 65_535),
    quorum: count('Part of the chosen nodes, in 1/10000, that has to be exceeded by those that voted.', defaultVerdictRules.quorum, 9_999),
    randomness_retry: seconds('How long after a request anybody may ask for a random word again.', defaultVerdictRules.randomnessRetry),
    selection_period: seconds('How long an attestation waits for a random word before it ends without chosen nodes.', defaultVerdictRules.selectionPeriod),
    slash_delay: seconds('How long a proposal to slash a vote can be disputed.', defaultVerdictRules.slashDelay),
  }),
});

export type DeploymentFile = Static<typeof DeploymentFile>;
