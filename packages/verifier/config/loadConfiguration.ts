import { localChainId } from '@vouch/chain/devnet/localChainId';
import { showPath } from '@vouch/chain/keystore/showPath';
import { chooseKey, findClash, noKeySentence, type KeyFlags } from './chooseKey.ts';
import { ConfigurationFault, type Fault } from './configurationFault.ts';
import { filePath } from './filePath.ts';
import { deploymentEntries } from './deploymentEntries.ts';
import { GivenKeys, type Override } from './givenKeys.ts';
import { keys } from './keys.ts';
import { defaultDataPath, eventTopics, type KeySource, type NodeConfiguration } from './nodeConfiguration.ts';
import { maxFileLength, parseYaml } from './parseYaml.ts';
import { readSmallFile, SmallFileFault, type SmallFile } from './readSmallFile.ts';
import { intelTrustRoot } from '../attestation/certificates/trustRoot.ts';
import { defaultPolicy } from '../attestation/policy/policy.ts';

/** Values of the flags that affect the configuration. */
export interface ConfigurationFlags extends KeyFlags {
  '-conf'?: string;
  '-reward-address'?: string;
  '-commission-rate'?: string;
}

export interface LoadedConfiguration {
  configuration: NodeConfiguration;
  /** Null if wallet.mode is 0 and no flag gives a key; `missingKey` is then the message for commands that need a key. */
  key: KeySource | null;
  missingKey: Fault;
  warnings: readonly Fault[];
  /** Origin of each value by key name; a key without an entry has its default. */
  origins: ReadonlyMap<string, string>;
}

/** Default path of the configuration file, relative to the working folder. */
export const defaultFile = 'verifier.yaml';

/** Flags that override a key of the file. */
const overriding = {
  '-private-key': keys.privateKey, '-keystore-path': keys.keystorePath, '-keystore-password': keys.keystorePassword,
  '-reward-address': keys.rewardClaimer, '-commission-rate': keys.commissionRate,
} as const;

/**
 * Reads the configuration file, applies the flags and checks all values.
 * @throws ConfigurationFault with all faults
 * @example
 * const { configuration, warnings } = loadConfiguration({ '-conf': 'verifier.yaml' });
 */
export function loadConfiguration(flags: ConfigurationFlags): LoadedConfiguration {
  const file = flags['-conf'] ?? defaultFile;
  const faults: Fault[] = [];
  const { text, othersMayRead } = readFile(file, faults);
  const written = faults.length > 0 ? [] : parseYaml(text, file, faults);
  const entries = [...written, ...deploymentEntries(written, file, faults)];
  // The file cannot be read or parsed: report only its faults and the faults that the flags have on their own.
  if (faults.length > 0) throw new ConfigurationFault([...faults, ...faultsOfFlags(flags)]);
  const given = new GivenKeys(file, entries, overridesOf(flags));
  const key = chooseKey(given, flags);
  const configuration = build(given);
  if (given.faults.length > 0 || configuration === null) throw new ConfigurationFault(given.faults, given.warnings);
  warnOfSecrets(given, othersMayRead, key);
  warnOfTopics(given, configuration);
  warnOfTrust(given, configuration);
  return { configuration, key, missingKey: noKeySentence(given), warnings: given.warnings, origins: given.origins };
}

function readFile(path: string, faults: Fault[]): SmallFile {
  try {
    return readSmallFile(path, maxFileLength);
  } catch (error) {
    if (!(error instanceof SmallFileFault)) throw error;
    faults.push({ where: showPath(path), sentence: `the configuration cannot be read: ${error.message}. -conf <path> names it.` });
    return { text: '', othersMayRead: false };
  }
}

function faultsOfFlags(flags: ConfigurationFlags): Fault[] {
  const overrides = overridesOf(flags);
  const given = new GivenKeys('', [], overrides);
  for (const { key } of overrides) given.take(key);
  const clash = findClash(flags);
  return clash === null ? given.faults : [...given.faults, clash];
}

function overridesOf(flags: ConfigurationFlags): Override[] {
  return (Object.keys(overriding) as (keyof typeof overriding)[]).flatMap((flag) => {
    const text = flags[flag];
    return text === undefined ? [] : [{ flag, key: overriding[flag], text }];
  });
}

/** @returns null if a required value is missing or invalid; `given.faults` then says why */
function build(given: GivenKeys): NodeConfiguration | null {
  const [chainId, rpcUrls, service] = [given.take(keys.chainId), given.take(keys.rpcUrls), given.take(keys.service)];
  const rest = {
    chainName: given.take(keys.chainName), startBlock: given.take(keys.startBlock) ?? 0, offsetBlock: given.take(keys.offsetBlock) ?? 14_400,
    maxBlockPerQuery: given.take(keys.maxBlockPerQuery) ?? 500, queryIntervalSeconds: given.take(keys.queryTicker) ?? 5,
    maxReportDelaySeconds: given.take(keys.reportDelay) ?? 0,
  };
  const topics = {
    topic1: given.take(keys.topic1) ?? eventTopics.topic1, topic2: given.take(keys.topic2) ?? eventTopics.topic2, topic3: given.take(keys.topic3) ?? eventTopics.topic3,
  };
  const teeEmitter = given.take(keys.teeEmitter);
  const name = given.take(keys.domainName) ?? 'ProtocolService';
  const version = given.take(keys.domainVersion) ?? '1.0.0';
  const dataPath = filePath(given.take(keys.dataPath) ?? defaultDataPath, given.file);
  const collateralUrl = given.take(keys.collateralUrl) ?? null;
  const other = {
    rewardClaimer: given.take(keys.rewardClaimer) ?? null,
    commissionRate: given.take(keys.commissionRate) ?? null,
    expirySeconds: given.take(keys.expiredTime) ?? 3_600,
    attestation: {
      collateralPath: given.locate(keys.collateralPath, given.take(keys.collateralPath) ?? './collateral'),
      fetching: { url: collateralUrl, automatic: (given.take(keys.collateralUpdate) ?? true) && collateralUrl !== null },
      policy: {
        allowList: given.take(keys.allowList) ?? defaultPolicy.allowList,
        acceptedStatuses: given.take(keys.tcbPolicy) ?? defaultPolicy.acceptedStatuses,
      },
      trustRoot: given.take(keys.trustRoot) ?? intelTrustRoot,
    },
    alertUrl: given.take(keys.alertUrl) ?? null,
    node: {
      dataPath: dataPath.path, formerDataPath: dataPath.former, reenter: given.take(keys.reenter) ?? true, healthListen: given.take(keys.healthListen) ?? null,
    },
    log: { format: given.take(keys.logFormat) ?? 'human', level: given.take(keys.logLevel) ?? 'info', path: given.takePath(keys.logPath) ?? null },
  } as const;
  const sending = takeSending(given);
  if (chainId === undefined || rpcUrls === undefined || service === undefined || sending === null) return null;
  return {
    chain: { ...rest, chainId, chainName: rest.chainName ?? `chain-${chainId}`, rpcUrls },
    contract: { service, teeEmitter: teeEmitter ?? service, ...topics },
    domain: { name, version, chainId: BigInt(chainId) },
    sending,
    ...other,
  };
}

function takeSending(given: GivenKeys): NodeConfiguration['sending'] | null {
  const itself = given.take(keys.gasMode) ?? false;
  const [url, version] = [given.take(keys.gatewayUrl), given.take(keys.gatewayVersion) ?? null];
  if (itself) return { through: 'itself' };
  if (url !== undefined) return { through: 'gateway', url, version };
  if (!given.has(keys.gatewayUrl)) {
    const sentence = `${keys.gatewayUrl.name} is missing; it must be ${keys.gatewayUrl.range}, or ${keys.gasMode.name} must be true.`;
    given.faults.push({ where: given.whereIs(keys.gatewayUrl), sentence });
  }
  return null;
}

function warnOfSecrets(given: GivenKeys, othersMayRead: boolean, key: KeySource | null): void {
  const secrets = [keys.privateKey, keys.keystorePassword].filter((secret) => given.has(secret));
  for (const secret of secrets) {
    const used = given.origins.get(secret.name)?.startsWith(given.file) === true;
    if (!used) given.warnings.push({ where: given.whereIs(secret), sentence: `${secret.name} is not used ${key === null ? 'in mode 0' : 'here'}; remove the secret from the file, so that it cannot leak.` });
  }
  if (secrets.length > 0 && othersMayRead) {
    const names = secrets.map(({ name }) => name).join(' and ');
    given.warnings.push({ where: given.file, sentence: `the file contains ${names}, and other users of this machine can read it: chmod 600 ${given.file}` });
  }
}

function warnOfTopics(given: GivenKeys, { contract }: NodeConfiguration): void {
  for (const topic of ['topic1', 'topic2', 'topic3'] as const) {
    if (contract[topic] === eventTopics[topic]) continue;
    const sentence = `${keys[topic].name} differs from the known event (${eventTopics[topic]}), so this program may not be able to decode the events.`;
    given.warnings.push({ where: given.whereIs(keys[topic]), sentence });
  }
}

function warnOfTrust(given: GivenKeys, { attestation, chain }: NodeConfiguration): void {
  // A local chain (devnet) uses a test PKI, so another trust root is expected there.
  if (attestation.trustRoot.fingerprint === intelTrustRoot.fingerprint || chain.chainId === localChainId) return;
  const sentence = `${keys.trustRoot.name} is not Intel's root, so the node votes "malicious" on quotes of real platforms. Use this only for private networks and tests.`;
  given.warnings.push({ where: given.whereIs(keys.trustRoot), sentence });
}
