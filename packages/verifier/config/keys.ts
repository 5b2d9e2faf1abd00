import { parseTrustRoot, type TrustRoot } from '../attestation/certificates/trustRoot.ts';
import { parseAllowList, parseTcbPolicy, type Read } from '../attestation/policy/parsePolicy.ts';
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
  read(given: Given): Read<Value>;
  structured?: true;
}

type About = Omit<Key<unknown>, 'name' | 'range' | 'read' | 'structured'>;

function single<Value>(name: string, type: ValueType<Value>, about: About): Key<Value> {
  const read = ({ text: written }: Given): Read<Value> => asRead(written === null ? undefined : type.read(written), type.range);
  return { name, range: type.range, ...about, read };
}

/** A key with one value, several values separated by commas, or a list. */
function several<Value>(name: string, type: ValueType<Value>, maxCount: number, about: About): Key<readonly Value[]> {
  const range = `${type.range}, or a list of up to ${maxCount} of them`;
  const read = (given: Given): Read<readonly Value[]> => {
    const texts = given.list ?? given.text?.split(',').map((part) => part.trim()) ?? [];
    const values = texts.map((part) => type.read(part)).filter((value) => value !== undefined);
    return asRead(values.length === texts.length && values.length > 0 && values.length <= maxCount ? [...new Set(values)] : undefined, range);
  };
  return { name, range, ...about, read };
}

function structure<Value>(name: string, range: string, read: (tree: unknown) => Read<Value>, about: About): Key<Value> {
  return { name, range, ...about, structured: true, read: (given) => read(given.tree()) };
}

function asRead<Value>(value: Value | undefined, range: string): Read<Value> {
  return value === undefined ? { fault: range } : { value };
}

const topic = hexBytes(32, 'the hash of an event');
const privateKey = hexBytes(32, 'a private key');
const block = integer(0, 1_000_000_000_000);
/** Root certificate that every certificate chain must end at. */
const trustRoot: ValueType<TrustRoot> = {
  range: 'the SHA-256 of a certificate: 64 hex digits, with colons or without',
  read: (text) => parseTrustRoot(text) ?? undefined,
};

/** All keys. Numeric ranges include both ends. */
export const keys = {
  chainId: single('chain.chain_id', integer(1, Number.MAX_SAFE_INTEGER), { sentence: 'Id of the chain; must be what the RPC answers.' }),
  chainName: single('chain.chain_name', text(64), { sentence: 'Name of the chain in logs, metrics and status.', absent: 'chain- and the id' }),
  rpcUrls: several('chain.rpc_url', httpAddress, 16, { sentence: 'Where the chain is asked; with several, the next one when one fails.', secret: 'address' }),
  startBlock: single('chain.start_block', block, { sentence: 'No block before this one is looked at.', absent: '0' }),
  offsetBlock: single('chain.offset_block', integer(0, 1_000_000_000), {
    sentence: 'How many blocks back from the newest the first scan begins; later ones go on where the last stopped.', absent: '14400',
  }),
  maxBlockPerQuery: single('chain.max_block_per_query', integer(1, 100_000), { sentence: 'Most blocks of one question for events; made smaller where an RPC refuses.', absent: '500' }),
  queryTicker: single('chain.query_ticker', integer(1, 3_600), { sentence: 'Seconds between two looks at the chain.', absent: '5' }),
  reportDelay: single('chain.report_delay', integer(0, 600), {
    sentence: 'Longest wait of a report in seconds, drawn at random, so that nodes that were chosen together do not all send at once.', absent: '0',
  }),
  gasMode: single('chain.enable_gas_mode', truth, { sentence: 'Sends transactions itself and pays for them, instead of through the gateway.', absent: 'false' }),
  service: single('contract.addr', address, { sentence: 'The service contract.' }),
  deployment: single('contract.deployment', text(4_096), {
    sentence: 'Record of the deployment (vouch contracts deploy): gives chain.chain_id, chain.start_block, contract.addr and the signature\'s domain where the file does not.', absent: 'none',
  }),
  teeEmitter: single('contract.tee_addr', address, { sentence: 'The contract that announces attestations.', absent: 'contract.addr' }),
  topic1: single('contract.topic1', topic, { sentence: 'Event of reported attestations.', absent: 'that of TeeReportAttestations' }),
  topic2: single('contract.topic2', topic, { sentence: 'Event of chosen nodes.', absent: 'that of ConfirmVrfNodes' }),
  topic3: single('contract.topic3', topic, { sentence: 'Event of nodes put out of the active set.', absent: 'that of NodeClear' }),
  walletMode: single('wallet.mode', oneOf(['0', '1', '2']), {
    sentence: 'Where the key is: 0 in the flags, 1 in wallet.private_key, 2 in the keystore at wallet.keystore_path.', absent: '0',
  }),
  privateKey: single('wallet.private_key', privateKey, { sentence: 'The key in clear, for mode 1. A keystore is safer.', absent: 'none', secret: 'whole' }),
  keystorePath: single('wallet.keystore_path', text(4_096), { sentence: 'The keystore file, for mode 2.', absent: 'none' }),
  keystorePassword: single('wallet.keystore_password', text(1_024), {
    sentence: 'Its password, for mode 2. -password-file, or being asked, is safer.', absent: '-password-file, or asked', secret: 'whole',
  }),
  rewardClaimer: single('wallet.reward_claimer_addr', payee, { sentence: 'Who may claim the rewards.', absent: 'it is left as it is' }),
  commissionRate: single('wallet.commission_rate', commissionRate, {
    sentence: 'Percentage of the rewards that is kept from delegators: 0 keeps nothing, 100 everything.', absent: 'it is left as it is',
  }),
  domainName: single('signature.domain_name', text(128), { sentence: 'Name of the domain that messages are signed for.', absent: 'ProtocolService' }),
  domainVersion: single('signature.domain_version', text(128), { sentence: 'Version of that domain.', absent: '1.0.0' }),
  expiredTime: single('signature.expired_time', integer(61, 21_000), {
    sentence: 'Seconds from the newest block until a message expires; the contract takes up to six hours.', absent: '3600',
  }),
  gatewayUrl: single('gasless_service.url', httpAddress, { sentence: 'The gateway that sends the messages and pays for them.', absent: 'only with chain.enable_gas_mode' }),
  gatewayVersion: single('gasless_service.version', text(64), { sentence: 'Version that messages to the gateway name.', absent: 'none is named' }),
  collateralPath: single('attestation.collateral_path', text(4_096), { sentence: 'Folder with Intel\'s certificates and lists, by which quotes are judged.', absent: './collateral' }),
  collateralUrl: single('attestation.collateral_url', httpAddress, {
    sentence: 'Where certificates and lists are fetched: Intel\'s service, https://api.trustedservices.intel.com, or a PCCS.', absent: 'a node fetches nothing', secret: 'address',
  }),
  collateralUpdate: single('attestation.collateral_update', truth, { sentence: 'Whether a running node fetches them by itself, once a day, where attestation.collateral_url is given.', absent: 'true' }),
  allowList: structure('attestation.allow_list', 'a list of enclaves, each with mr_enclave or mr_signer', parseAllowList, {
    sentence: 'Enclaves whose attestations are valid.', absent: 'every enclave',
  }),
  tcbPolicy: structure('attestation.tcb_policy', 'strict, standard, lenient, or a list of statuses', parseTcbPolicy, {
    sentence: 'How well a platform must be kept up to date.', absent: 'standard',
  }),
  trustRoot: single('attestation.trust_root', trustRoot, {
    sentence: 'SHA-256 of the root certificate that quotes must lead to; another one than Intel\'s only for private networks and tests.', absent: 'Intel\'s',
  }),
  alertUrl: single('alert.url', httpAddress, { sentence: 'Gets a POST for each alarm.', absent: 'alarms are only logged', secret: 'address' }),
  dataPath: single('node.data_path', text(4_096), { sentence: 'Folder for what the node keeps; each node has one of its own in it.', absent: './verifier-data' }),
  reenter: single('node.reenter', truth, { sentence: 'Whether a node that was put out of the active set while it runs enters again.', absent: 'true' }),
  healthListen: single('node.health_listen', loopbackAddress, { sentence: 'Where /health and /metrics are served, for this machine alone.', absent: 'nowhere' }),
  logFormat: single('log.format', oneOf(['human', 'json']), { sentence: 'Lines for people, or one JSON object a line.', absent: 'human' }),
  logLevel: single('log.level', oneOf(['debug', 'info', 'warn', 'error']), { sentence: 'The least that is logged.', absent: 'info' }),
  logPath: single('log.path', text(4_096), { sentence: 'A file for the log instead of standard error; with those before it, it stays below 20 MB.', absent: 'standard error' }),
};

/** All keys in the order of the configuration file. */
export const keyList: readonly Key<unknown>[] = Object.values(keys);
