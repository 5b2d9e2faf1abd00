import { keyReferencePattern } from '@vouch/chain/signers/keyReference';
import { Type, type Static } from 'typebox';

const address = '^0x[0-9a-fA-F]{40}$';

/**
 * Settings of one chain and contract with its relayer keys. The environment variables describe one such deployment, a file
 * describes more.
 */
export const deploymentSettings = Type.Object({
  chain_rpc_url: Type.Optional(Type.Array(Type.String({ pattern: '^https?://\\S+$' }), {
    list: 'commas', minItems: 1, maxItems: 16, secret: true, range: 'one or more http(s) URLs separated by commas',
    description: 'RPC endpoints of the chain; if one fails, the gateway uses the next.',
  })),
  chain_id: Type.Optional(Type.Integer({
    minimum: 1, maximum: Number.MAX_SAFE_INTEGER,
    description: 'Id of the chain; must match the id that the RPC endpoints return.',
  })),
  contract_address: Type.Optional(Type.String({
    pattern: address, range: 'an Ethereum address: 0x and 40 hex digits',
    description: 'The service contract that receives the operations.',
  })),
  deployment: Type.Optional(Type.String({
    minLength: 1, range: 'a path', description: 'Record of `vouch contracts deploy`, which contains chain id, contract and signing domain.',
  })),
  multicall_address: Type.String({
    pattern: address, range: 'an Ethereum address: 0x and 40 hex digits', default: '0xcA11bde05977b3631167028862bE2a173976CA11',
    description: 'Multicall3 contract, for batches to a service contract that does not isolate failing entries itself.',
  }),
  relayer_keys: Type.Optional(Type.Array(Type.String({ pattern: `^(?:(?:0x)?[0-9a-fA-F]{64}|${keyReferencePattern})$` }), {
    list: 'commas', minItems: 1, maxItems: 64, secret: true,
    range: 'references such as awskms:alias/NAME (guide "Relayer keys"), or private keys of 64 hex digits, separated by commas',
    description: 'Keys that pay for the transactions; several keys share the load. A reference names a key in AWS KMS (`awskms:`), Google Cloud KMS (`gcpkms:`), '
      + 'HashiCorp Vault (`vault:`) or web3signer (`web3signer:`). Keystores and references keep private keys out of the environment.',
  })),
  relayer_keystores: Type.Optional(Type.Array(Type.String({ minLength: 1 }), {
    list: 'commas', minItems: 1, maxItems: 64, range: 'paths of keystore files separated by commas',
    description: 'Keystore files (geth V3) of the keys that pay for the transactions; one password opens all of them.',
  })),
  relayer_password_file: Type.Optional(Type.String({
    minLength: 1, description: 'File whose first line is the password of the keystores.',
  })),
  domain_name: Type.String({
    minLength: 1, maxLength: 128, default: 'ProtocolService', description: 'Name of the typed-data domain that operators sign for.',
  }),
  domain_version: Type.String({
    minLength: 1, maxLength: 128, default: '1.0.0', description: 'Version of the typed-data domain that operators sign for.',
  }),
  batch_window_ms: Type.Integer({
    minimum: 0, maximum: 60_000, default: 500,
    description: 'How long the first operation of a batch waits for others, in ms.',
  }),
  batch_max_operations: Type.Integer({
    minimum: 1, maximum: 2_000, default: 400, description: 'Maximum number of operations per transaction.',
  }),
  batch_max_gas: Type.Integer({
    minimum: 200_000, maximum: 1_000_000_000, default: 16_000_000, description: 'Maximum gas per transaction.',
  }),
  max_fee_gwei: Type.Number({
    minimum: 0.000001, maximum: 1_000_000, default: 100,
    description: 'Maximum fee per gas, in gwei; while the chain requires more, operations wait.',
  }),
  min_balance_eth: Type.Number({
    minimum: 0, maximum: 1_000_000, default: 0.01,
    description: 'A relayer key with a lower balance sends no new transactions.',
  }),
  confirmations: Type.Integer({
    minimum: 0, maximum: 10_000, default: 5,
    description: 'How many blocks must follow a transaction before its operations are confirmed.',
  }),
  signer_quota: Type.Integer({
    minimum: 0, maximum: 100_000_000, default: 1_000,
    description: 'Accepted messages per signer and hour; 0 for no limit.',
  }),
  keeper: Type.Boolean({
    default: true,
    description: 'Reports the day of each active node to the contract once the node has been active long enough; the relayer key pays. Without such a report, the node earns nothing for the day.',
  }),
  keeper_conclusions: Type.Enum(['none', 'without-verdict', 'all'], {
    default: 'without-verdict',
    description: 'Attestations that the gateway concludes, so that the contract\'s event `AttestationConcluded` records how they ended: `without-verdict`, `all` (12,000 to 37,000 gas each), or `none`.',
  }),
});
export type DeploymentSettings = Static<typeof deploymentSettings>;

/** Settings of the gateway; a key is the environment variable's name without VOUCH_, in lower case. */
export const gatewaySettings = Type.Object({
  ...deploymentSettings.properties,
  gateway_headers: Type.Enum(['strict', 'lenient'], {
    default: 'strict',
    description: '`strict` requires the headers Origin, User-Agent and x-app-id with every message; `lenient` also accepts messages without them.',
  }),
  gateway_origins: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
    list: 'commas', maxItems: 1_000, range: 'origins such as https://app.example separated by commas',
    description: 'Accepted values of the header Origin, which are also the web pages that can send messages from a browser. Default: every value, no web page.',
  })),
  gateway_app_ids: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
    list: 'commas', maxItems: 1_000, range: 'texts separated by commas',
    description: 'Accepted values of the header x-app-id. Default: every value.',
  })),
  gateway_retention_days: Type.Integer({
    minimum: 0, maximum: 36_500, default: 90,
    description: 'Age in days after which ended messages and their transactions are removed; bills keep the sums by day. 0 keeps them for ever.',
  }),
  gateway_deployments: Type.Optional(Type.String({
    minLength: 1, range: 'a path',
    description: 'TOML file of further deployments, each a table with its name and its own settings (guide "The signed-message gateway", Several chains).',
  })),
});

export type GatewaySettings = Static<typeof gatewaySettings>;
