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
  chain_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Id of the chain. The RPC endpoints must serve this chain.' }),
  owner: address('Owner of the contracts, preferably a multisig. With a timelock, the owner proposes and executes operations.'),
  domain: Type.Object({
    name: name('Name of the typed-data domain (EIP-712) of operators\' signatures.', 'ProtocolService'),
    version: name('Version of the typed-data domain. Each deployment on a chain needs a different version; otherwise, messages signed for one deployment are valid for the other.', '1.0.0'),
  }),
  timelock: Type.Optional(Type.Object({
    delay: seconds('Delay between the proposal and the execution of an operation.', 48 * hour),
    proposers: Type.Optional(addresses('Accounts that can propose and cancel operations. Default: the owner.', { minItems: 1 })),
    executors: Type.Optional(addresses('Accounts that can execute operations after the delay; the zero address means everyone. Default: the owner.', { minItems: 1 })),
  })),
  roles: Type.Object({
    tees: addresses('Accounts that can report attestations.', { default: [] }),
    slashers: addresses('Accounts that can propose to slash a vote against a verdict.', { default: [] }),
    arbiters: addresses('Accounts that can dispute a proposal to slash, and decide on the proposal.', { default: [] }),
  }),
  license: Type.Object({
    name: name('Name of the license token (ERC-721).', 'Verifier License'),
    symbol: name('Symbol of the license token.', 'VLICENSE'),
  }),
  reward_token: Type.Object({
    address: Type.Optional(address('ERC-20 token of the rewards. If omitted, a new token is created from the other keys of this section.')),
    name: name('Name of a new token.', 'Verifier Reward'),
    symbol: name('Symbol of a new token.', 'VREWARD'),
    supply: amount('Fixed total supply of a new token.', `1${'0'.repeat(27)}`),
    holder: Type.String({ pattern: '^(?:pool|0x[0-9a-fA-F]{40})$', range: '"pool", or an Ethereum address', default: 'pool', description: 'Recipient of the total supply of a new token: the pool that pays rewards, or an account that fills the pool later.' }),
  }),
  rewards: Type.Object({
    daily: amount('Reward per day, shared by all nodes that earn.', `1000${'0'.repeat(18)}`),
    slash: amount('Maximum amount of a slash.', `1${'0'.repeat(18)}`),
  }),
  randomness: Type.Object({
    coordinator: address('Coordinator of the random words (Chainlink VRF v2.5).'),
    subscription_id: amount('Id of the subscription that pays for random words.'),
    key_hash: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$', range: '0x and 64 hex digits', description: 'Key hash of the oracle, which also limits the gas price of its answers.' }),
    request_confirmations: Type.Integer({ minimum: 1, maximum: 200, default: 3, description: 'Number of blocks that the oracle waits before it answers.' }),
    callback_gas_limit: Type.Integer({ minimum: 100_000, maximum: 30_000_000, default: 2_500_000, description: 'Gas limit of an answer, which includes the selection of nodes.' }),
    native_payment: Type.Boolean({ default: false, description: 'Whether the subscription pays in the native coin of the chain.' }),
  }),
  settings: Type.Object({
    change_delay: seconds('Time between the announcement of a settings change and its effect. Cannot be changed later.', 48 * hour, 0),
    report_window: seconds('Time that chosen nodes have to report.', defaultRules.reportWindow),
    max_expiry: seconds('Maximum time until a signed message expires.', defaultRules.maxExpiry),
    commission_interval: seconds('Minimum time between two changes of a commission.', defaultRules.commissionInterval),
    day_length: seconds('Length of a reward day. Cannot be changed later.', defaultRules.dayLength),
    min_online: seconds('Time that a node must be active in a day to earn; less than `day_length`.', defaultRules.minOnline),
    max_active_nodes: count('Size of the active set.', defaultRules.maxActiveNodes, 10_000),
    max_chosen_nodes: count('Number of nodes chosen for an attestation.', defaultRules.maxChosenNodes, 1_000),
    max_commission_increase: count('Maximum increase of a commission per change, in 1/10000.', defaultRules.maxCommissionIncrease, 10_000),
    max_missed_reports: count('Number of missed reports after which a node is removed from the active set.', defaultRules.maxMissedReports, 65_535),
    max_delegations: count('Maximum number of licenses that others can delegate to one node.', defaultRules.maxDelegations, 65_535),
    quorum: count('Quorum: share of the chosen nodes, in 1/10000, that the number of votes must exceed.', defaultVerdictRules.quorum, 9_999),
    randomness_retry: seconds('Time after a request for a random word until anyone can repeat the request.', defaultVerdictRules.randomnessRetry),
    selection_period: seconds('Time that an attestation waits for a random word before it ends without chosen nodes.', defaultVerdictRules.selectionPeriod),
    slash_delay: seconds('Time during which a proposal to slash a vote can be disputed.', defaultVerdictRules.slashDelay),
  }),
});

export type DeploymentFile = Static<typeof DeploymentFile>;
