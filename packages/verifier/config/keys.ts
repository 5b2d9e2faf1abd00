import { parseTrustRoot, type TrustRoot } from '../attestation/certificates/trustRoot.ts';
import { parseAllowList, parseTcbPolicy, type Parsed } from '../attestation/policy/parsePolicy.ts';
import { address, payee } from './address.ts';
import { commissionRate } from './commissionRate.ts';
import type { Given } from './parseYaml.ts';
import { hexBytes, httpAddress, integer, loopbackAddress, oneOf, text, truth, type ValueType } from './value.ts';

/** One key of the configuration file. The tables of the guide and the checks are based on these definitions. */
export interface Key<Value> {
  /** Name with its section: `chain.chain_id`. */
  name: string;
  /** Allowed values, as the end of the sentence "it must be …". */
  range: string;
  /** Description for operators. */
  sentence: string;
  /** Description of the default; undefined if the key is required. */
  absent?: string;
  /** How the value is hidden in output: `whole` completely; an `address` (URL) except for its host, because hosted RPC services put API keys into the path. */
  secret?: 'whole' | 'address';
  /** Parses the value. A fault is the end of "it must be …"; if `structured` is set, the fault follows the name of the key. */
  parse(given: Given): Parsed<Value>;
  structured?: true;
}

type About = Omit<Key<unknown>, 'name' | 'range' | 'parse' | 'structured'>;

function single<Value>(name: string, type: ValueType<Value>, about: About): Key<Value> {
  const parse = ({ text: written }: Given): Parsed<Value> => asParsed(written === null ? undefined : type.parse(written), type.range);
  return { name, range: type.range, ...about, parse };
}

/** A key with one value, several values separated by commas, or a list. */
function several<Value>(name: string, type: ValueType<Value>, maxCount: number, about: About): Key<readonly Value[]> {
  const range = `${type.range}, or a list of up to ${maxCount} of them`;
  const parse = (given: Given): Parsed<readonly Value[]> => {
    const texts = given.list ?? given.text?.split(',').map((part) => part.trim()) ?? [];
    const values = texts.map((part) => type.parse(part)).filter((value) => value !== undefined);
    return asParsed(values.length === texts.length && values.length > 0 && values.length <= maxCount ? [...new Set(values)] : undefined, range);
  };
  return { name, range, ...about, parse };
}

function structure<Value>(name: string, range: string, parse: (tree: unknown) => Parsed<Value>, about: About): Key<Value> {
  return { name, range, ...about, structured: true, parse: (given) => parse(given.tree()) };
}

function asParsed<Value>(value: Value | undefined, range: string): Parsed<Value> {
  return value === undefined ? { fault: range } : { value };
}

const topic = hexBytes(32, 'the hash of an event');
const privateKey = hexBytes(32, 'a private key');
const block = integer(0, 1_000_000_000_000);
/** Root certificate that every certificate chain must end at. */
const trustRoot: ValueType<TrustRoot> = {
  range: 'the SHA-256 of a certificate: 64 hex digits, with or without colons',
  parse: (text) => parseTrustRoot(text) ?? undefined,
};

/** All keys. Numeric ranges include both ends. */
export const keys = {
  chainId: single('chain.chain_id', integer(1, Number.MAX_SAFE_INTEGER), { sentence: 'Id of the chain; must match the id that the RPC endpoint returns.' }),
  chainName: single('chain.chain_name', text(64), { sentence: 'Name of the chain in logs, metrics and status.', absent: 'chain- and the id' }),
  rpcUrls: several('chain.rpc_url', httpAddress, 16, { sentence: 'URLs of RPC endpoints; if one fails, the node uses the next.', secret: 'address' }),
  startBlock: single('chain.start_block', block, { sentence: 'First block that the node processes.', absent: '0' }),
  offsetBlock: single('chain.offset_block', integer(0, 1_000_000_000), {
    sentence: 'How many blocks before the newest the first scan starts; later scans continue at the last processed block.', absent: '14400',
  }),
  maxBlockPerQuery: single('chain.max_block_per_query', integer(1, 100_000), { sentence: 'Maximum number of blocks per request for events; the node reduces it if an RPC endpoint rejects a request.', absent: '500' }),
  queryTicker: single('chain.query_ticker', integer(1, 3_600), { sentence: 'Seconds between two scans of the chain.', absent: '5' }),
  reportDelay: single('chain.report_delay', integer(0, 600), {
    sentence: 'Maximum random delay of a report in seconds, so that nodes that are chosen together do not all send at once.', absent: '0',
  }),
  gasMode: single('chain.enable_gas_mode', truth, { sentence: 'Whether the node sends its own transactions and pays the gas, instead of using the gateway.', absent: 'false' }),
  service: single('contract.addr', address, { sentence: 'The service contract.' }),
  deployment: single('contract.deployment', text(4_096), {
    sentence: 'Record of the deployment (vouch contracts deploy), which provides chain.chain_id, chain.start_block, contract.addr and the signing domain if the file does not set them.', absent: 'none',
  }),
  teeEmitter: single('contract.tee_addr', address, { sentence: 'The contract that announces attestations.', absent: 'contract.addr' }),
  topic1: single('contract.topic1', topic, { sentence: 'Topic of the event that announces attestations.', absent: 'the event TeeReportAttestations' }),
  topic2: single('contract.topic2', topic, { sentence: 'Topic of the event that lists the chosen nodes.', absent: 'the event ConfirmVrfNodes' }),
  topic3: single('contract.topic3', topic, { sentence: 'Topic of the event that reports nodes leaving the active set.', absent: 'the event NodeClear' }),
  walletMode: single('wallet.mode', oneOf(['0', '1', '2']), {
    sentence: 'Source of the key: 0 a flag, 1 wallet.private_key, 2 the keystore at wallet.keystore_path.', absent: '0',
  }),
  privateKey: single('wallet.private_key', privateKey, { sentence: 'The unencrypted private key, for mode 1. A keystore is safer.', absent: 'none', secret: 'whole' }),
  keystorePath: single('wallet.keystore_path', text(4_096), { sentence: 'Path of the keystore file, for mode 2.', absent: 'none' }),
  keystorePassword: single('wallet.keystore_password', text(1_024), {
    sentence: 'Password of the keystore, for mode 2. -password-file or the prompt is safer.', absent: '-password-file or the prompt', secret: 'whole',
  }),
  rewardClaimer: single('wallet.reward_claimer_addr', payee, { sentence: 'Ethereum address that may claim the rewards.', absent: 'the on-chain value stays' }),
  commissionRate: single('wallet.commission_rate', commissionRate, {
    sentence: 'Percentage of the rewards of delegators that the node keeps: 0 is nothing, 100 is everything.', absent: 'the on-chain value stays',
  }),
  domainName: single('signature.domain_name', text(128), { sentence: 'Name of the EIP-712 signing domain.', absent: 'ProtocolService' }),
  domainVersion: single('signature.domain_version', text(128), { sentence: 'Version of the EIP-712 signing domain.', absent: '1.0.0' }),
  expiredTime: single('signature.expired_time', integer(61, 21_000), {
    sentence: 'Seconds from the newest block until a message expires; the contract accepts up to six hours.', absent: '3600',
  }),
  gatewayUrl: single('gasless_service.url', httpAddress, { sentence: 'URL of the gateway that submits the messages and pays the gas.', absent: 'required unless chain.enable_gas_mode is true' }),
  gatewayVersion: single('gasless_service.version', text(64), { sentence: 'Version in the messages to the gateway.', absent: 'no version' }),
  collateralPath: single('attestation.collateral_path', text(4_096), { sentence: 'Folder with Intel\'s collateral (certificates, revocation lists, TCB info), which verdicts on quotes require.', absent: './collateral' }),
  collateralUrl: single('attestation.collateral_url', httpAddress, {
    sentence: 'Service to fetch collateral from: Intel\'s service, https://api.trustedservices.intel.com, or a PCCS.', absent: 'the node does not fetch collateral', secret: 'address',
  }),
  collateralUpdate: single('attestation.collateral_update', truth, { sentence: 'Whether a running node fetches collateral once a day, if attestation.collateral_url is set.', absent: 'true' }),
  allowList: structure('attestation.allow_list', 'a list of enclaves, each with mr_enclave or mr_signer', parseAllowList, {
    sentence: 'Enclaves whose attestations are valid.', absent: 'every enclave',
  }),
  tcbPolicy: structure('attestation.tcb_policy', 'strict, standard, lenient, or a list of statuses', parseTcbPolicy, {
    sentence: 'TCB statuses of platforms that the node accepts.', absent: 'standard',
  }),
  trustRoot: single('attestation.trust_root', trustRoot, {
    sentence: 'SHA-256 of the trusted root certificate; use a root other than Intel\'s only for private networks and tests.', absent: 'Intel\'s',
  }),
  alertUrl: single('alert.url', httpAddress, { sentence: 'URL that receives a POST request for each alarm.', absent: 'alarms are only logged', secret: 'address' }),
  dataPath: single('node.data_path', text(4_096), { sentence: 'Folder for the state of nodes; each node has its own subfolder.', absent: './verifier-data' }),
  reenter: single('node.reenter', truth, { sentence: 'Whether a running node enters again after it was removed from the active set.', absent: 'true' }),
  healthListen: single('node.health_listen', loopbackAddress, { sentence: 'Loopback IP address and port that serve /health and /metrics.', absent: 'nowhere' }),
  logFormat: single('log.format', oneOf(['human', 'json']), { sentence: 'Log format: readable text, or one JSON object per line.', absent: 'human' }),
  logLevel: single('log.level', oneOf(['debug', 'info', 'warn', 'error']), { sentence: 'Minimum level of log lines.', absent: 'info' }),
  logPath: single('log.path', text(4_096), { sentence: 'Log file, instead of standard error; the file and its rotated predecessors stay below 20 MB.', absent: 'standard error' }),
};

/** All keys in the order of the configuration file. */
export const keyList: readonly Key<unknown>[] = Object.values(keys);
