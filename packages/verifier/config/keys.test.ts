import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { intelTrustRoot } from '../attestation/certificates/trustRoot.ts';
import { openConfigurations } from '../testing/configurations.ts';
import { keyList } from './keys.ts';
import type { LoadedConfiguration } from './loadConfiguration.ts';
import { eventTopics } from './nodeConfiguration.ts';

const { folder, load, faultsWith } = openConfigurations();

const root = ({ configuration }: LoadedConfiguration): unknown => configuration.attestation.trustRoot.fingerprint;
const health = ({ configuration }: LoadedConfiguration): unknown => configuration.node.healthListen;
const log = ({ configuration }: LoadedConfiguration): unknown => configuration.log;

describe('each key of the file', () => {
  /** Rows of: name of a key; accepted texts with their parsed values; rejected texts. */
  const rows: readonly [string, readonly [string, (loaded: LoadedConfiguration) => unknown, unknown][], readonly string[]][] = [
    ['chain.chain_id', [['42161', chain('chainId'), 42_161], ['"1"', chain('chainId'), 1], ['9007199254740991', chain('chainId'), 9_007_199_254_740_991]], ['0', '-1', '1.5', '0x10', 'abc', '9007199254740992', '1e3', '[1]', '{a: 1}', 'true']],
    ['chain.chain_name', [['"arbitrum"', chain('chainName'), 'arbitrum'], ['1', chain('chainName'), '1']], ['"a\\nb"', `"${'x'.repeat(65)}"`, '[a]']],
    ['chain.rpc_url', [['https://a.example/rpc/', chain('rpcUrls'), ['https://a.example/rpc']], ['"http://a, http://b:1"', chain('rpcUrls'), ['http://a', 'http://b:1']], ['[http://a, http://b, http://a]', chain('rpcUrls'), ['http://a', 'http://b']]], ['ftp://a', 'a.example', 'wss://a', '[http://a, b]', '[]', '5', `[${Array.from({ length: 17 }, (_, at) => `http://h${at}`).join(', ')}]`]],
    ['chain.start_block', [['0', chain('startBlock'), 0], ['1000000000000', chain('startBlock'), 1e12]], ['-1', '1000000000001', 'latest']],
    ['chain.offset_block', [['0', chain('offsetBlock'), 0], ['1000000000', chain('offsetBlock'), 1e9]], ['-1', '1000000001', '0.5']],
    ['chain.max_block_per_query', [['1', chain('maxBlockPerQuery'), 1], ['100000', chain('maxBlockPerQuery'), 100_000]], ['0', '100001']],
    ['chain.query_ticker', [['1', chain('queryIntervalSeconds'), 1], ['3600', chain('queryIntervalSeconds'), 3_600]], ['0', '3601', '5s']],
    ['chain.report_delay', [['0', chain('maxReportDelaySeconds'), 0], ['600', chain('maxReportDelaySeconds'), 600]], ['-1', '601']],
    ['chain.enable_gas_mode', [['true', sending, { through: 'itself' }], ['"false"', sending, { through: 'gateway', url: 'http://127.0.0.1:8080', version: null }]], ['yes', '1', 'True']],
    ['contract.addr', [['"0xa91fF8b606BA57D8c6638Dd8CF3FC7eB15a9c634"', contract('service'), '0xa91ff8b606ba57d8c6638dd8cf3fc7eb15a9c634'], ['0xa91ff8b606ba57d8c6638dd8cf3fc7eb15a9c634', contract('service'), '0xa91ff8b606ba57d8c6638dd8cf3fc7eb15a9c634'], ['A91FF8B606BA57D8C6638DD8CF3FC7EB15A9C634', contract('service'), '0xa91ff8b606ba57d8c6638dd8cf3fc7eb15a9c634']], ['0xa91', '"0xA91fF8b606BA57D8c6638Dd8CF3FC7eB15a9c634"', '"vitalik.eth"']],
    ['contract.tee_addr', [['"0x8A5614d82187BAa01FB004D5adAcC86992543e67"', contract('teeEmitter'), '0x8a5614d82187baa01fb004d5adacc86992543e67']], ['0x', '"0x8a5614d82187BAa01FB004D5adAcC86992543e67"']],
    ['contract.topic1', [[`"0x${'AB'.repeat(32)}"`, contract('topic1'), `0x${'ab'.repeat(32)}`]], ['0x12', 'TeeReportAttestations']],
    ['contract.topic2', [[`${'12'.repeat(32)}`, contract('topic2'), `0x${'12'.repeat(32)}`]], ['0x12']],
    ['contract.topic3', [[`0x${'12'.repeat(32)}`, contract('topic3'), `0x${'12'.repeat(32)}`]], ['0x12']],
    ['wallet.mode', [['0', ({ key: source }) => source, null]], ['3', '-1', 'keystore', '"01"']],
    ['wallet.reward_claimer_addr', [['"0xa91fF8b606BA57D8c6638Dd8CF3FC7eB15a9c634"', of('rewardClaimer'), '0xa91ff8b606ba57d8c6638dd8cf3fc7eb15a9c634'], ['""', of('rewardClaimer'), null]], ['0x1', `"0x${'0'.repeat(40)}"`]],
    ['wallet.commission_rate', [['0', of('commissionRate'), 0], ['100', of('commissionRate'), 10_000], ['1.15', of('commissionRate'), 115], ['5.1', of('commissionRate'), 510], ['0.07', of('commissionRate'), 7], ['', of('commissionRate'), null], ['null', of('commissionRate'), null]], ['101', '-1', '100.01', '1.155', '5%', '1,5', '1e1']],
    ['signature.domain_name', [['"ProtocolService"', domain('name'), 'ProtocolService']], [`"${'x'.repeat(129)}"`]],
    ['signature.domain_version', [['1.0', domain('version'), '1.0'], ['"2"', domain('version'), '2']], [`"${'x'.repeat(129)}"`]],
    ['signature.expired_time', [['61', of('expirySeconds'), 61], ['21000', of('expirySeconds'), 21_000]], ['60', '21001', '1h']],
    ['gasless_service.url', [['"https://g.example/"', sending, { through: 'gateway', url: 'https://g.example', version: null }]], ['g.example', '"https://g.example/#x"', '5']],
    ['gasless_service.version', [['1.0.0', sending, { through: 'gateway', url: 'http://127.0.0.1:8080', version: '1.0.0' }]], [`"${'x'.repeat(65)}"`]],
    ['attestation.collateral_path', [['/var/lib/collateral', ({ configuration }) => configuration.attestation.collateralPath, '/var/lib/collateral']], ['[a]']],
    ['attestation.collateral_url', [['https://pccs.example:8081/', ({ configuration }) => configuration.attestation.fetching, { url: 'https://pccs.example:8081', automatic: true }]], ['pccs.example', 'ftp://pccs.example']],
    ['attestation.collateral_update', [['true', ({ configuration }) => configuration.attestation.fetching, { url: null, automatic: false }]], ['daily']],
    ['attestation.allow_list', [[`[{mr_enclave: "${'ab'.repeat(32)}"}]`, ({ configuration }) => configuration.attestation.policy.allowList?.[0]?.mrEnclave, 'ab'.repeat(32)]], ['everything', '[]', '[{mr_enclave: "12"}]', '[{product_id: 1}]']],
    ['attestation.tcb_policy', [['strict', tcb, ['UpToDate']], ['[UpToDate, OutOfDate]', tcb, ['UpToDate', 'OutOfDate']]], ['generous', '[Revoked]', '[]', '5']],
    ['attestation.trust_root', [[`"${'AB'.repeat(32)}"`, root, 'ab'.repeat(32)], [`"${Array.from({ length: 32 }, () => 'AB').join(':')}"`, root, 'ab'.repeat(32)]], ['intel', `"${'ab'.repeat(31)}"`]],
    ['alert.url', [['https://a.example/hook?x=1', of('alertUrl'), 'https://a.example/hook?x=1']], ['a.example', 'mailto:a@b.example']],
    ['node.data_path', [['/var/lib/verifier', ({ configuration }) => configuration.node.dataPath, '/var/lib/verifier']], ['[a]']],
    ['node.reenter', [['false', ({ configuration }) => configuration.node.reenter, false]], ['no']],
    ['node.health_listen', [['127.0.0.1:9464', health, { host: '127.0.0.1', port: 9_464 }], ['"[::1]:1"', health, { host: '::1', port: 1 }]], ['0.0.0.0:9464', 'localhost:9464', '127.0.0.1', '127.0.0.1:65536', '127.0.0.1:0', '127.0.0.256:80', '9464']],
    ['log.format', [['json', log, { format: 'json', level: 'info', path: null }]], ['xml']],
    ['log.level', [['debug', log, { format: 'human', level: 'debug', path: null }]], ['loud']],
    ['log.path', [['node.log', log, { format: 'human', level: 'info', path: join(folder, 'node.log') }]], ['[a]']],
  ];

  it('has a row here, in the order of the schema; the three of the key and the record of a deployment have tests of their own', () => {
    const own = ['contract.deployment', 'wallet.private_key', 'wallet.keystore_path', 'wallet.keystore_password'];
    expect(rows.map(([name]) => name)).toEqual(keyList.map(({ name }) => name).filter((name) => !own.includes(name)));
  });

  it.each(rows.flatMap(([name, taken]) => taken.map(([text, read, expected]) => [name, text, read, expected] as const)))('%s: %s is taken', (name, text, read, expected) => {
    expect(read(load({ [name]: text }))).toEqual(expected);
  });

  it.each(rows.flatMap(([name, , refused]) => refused.map((text) => [name, text] as const)))('%s: %s is refused with file, line, key and range', (name, text) => {
    const [sentence, ...more] = faultsWith({ [name]: text });
    expect(more).toEqual([]);
    const { range, structured } = keyList.find((known) => known.name === name)!;
    expect(sentence).toMatch(/^verifier\.yaml, line \d+: /);
    expect(sentence).toContain(name);
    if (structured !== true) expect(sentence).toContain(`it must be ${range}.`);
  });

  it('has the defaults that the schema promises where it is absent', () => {
    const { configuration } = load();
    expect(configuration).toEqual({
      chain: { chainId: 31_337, chainName: 'chain-31337', rpcUrls: ['http://127.0.0.1:8545'], startBlock: 0, offsetBlock: 14_400, maxBlockPerQuery: 500, queryIntervalSeconds: 5, maxReportDelaySeconds: 0 },
      contract: { service: '0xa91ff8b606ba57d8c6638dd8cf3fc7eb15a9c634', teeEmitter: '0xa91ff8b606ba57d8c6638dd8cf3fc7eb15a9c634', ...eventTopics },
      domain: { name: 'ProtocolService', version: '1.0.0', chainId: 31_337n },
      rewardClaimer: null, commissionRate: null, expirySeconds: 3_600, alertUrl: null,
      sending: { through: 'gateway', url: 'http://127.0.0.1:8080', version: null },
      attestation: { collateralPath: join(folder, 'collateral'), fetching: { url: null, automatic: false }, policy: { allowList: null, acceptedStatuses: ['UpToDate', 'SWHardeningNeeded', 'ConfigurationNeeded', 'ConfigurationAndSWHardeningNeeded'] }, trustRoot: intelTrustRoot },
      node: { dataPath: join(folder, 'verifier-data'), formerDataPath: null, reenter: true, healthListen: null }, log: { format: 'human', level: 'info', path: null },
    });
  });

  it.each(['chain.chain_id', 'chain.rpc_url', 'contract.addr', 'gasless_service.url'])('%s must be there', (name) => {
    for (const value of [null, '', '""']) expect(faultsWith({ [name]: value })).toEqual([expect.stringContaining(`${name} is missing; it must be `)]);
  });

  it('of the gateway may be absent where the node pays for itself', () => {
    expect(load({ 'gasless_service.url': null, 'chain.enable_gas_mode': 'true' }).configuration.sending).toEqual({ through: 'itself' });
  });
});

function chain(name: keyof LoadedConfiguration['configuration']['chain']) {
  return ({ configuration }: LoadedConfiguration): unknown => configuration.chain[name];
}
function contract(name: keyof LoadedConfiguration['configuration']['contract']) {
  return ({ configuration }: LoadedConfiguration): unknown => configuration.contract[name];
}
function domain(name: 'name' | 'version') {
  return ({ configuration }: LoadedConfiguration): unknown => configuration.domain[name];
}
function of(name: 'rewardClaimer' | 'commissionRate' | 'expirySeconds' | 'alertUrl') {
  return ({ configuration }: LoadedConfiguration): unknown => configuration[name];
}
function sending({ configuration }: LoadedConfiguration): unknown {
  return configuration.sending;
}
function tcb({ configuration }: LoadedConfiguration): unknown {
  return configuration.attestation.policy.acceptedStatuses;
}
