import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { nodeConfiguration } from '@vouch/chain/devnet/nodeConfiguration';
import { readFileSync } from 'node:fs';
import { expect, describe, it } from 'vitest';
import { getAbiItem, toEventSelector } from 'viem';
import { configurationText, testFolder, writeConfiguration } from '../fixtures/runVerifier.ts';
import { intelTrustRoot } from '../attestation/certificates/trustRoot.ts';
import { flags } from '../commands/flags.ts';
import { ConfigurationFault } from './configurationFault.ts';
import { keyList, keys } from './keys.ts';
import { loadConfiguration, type ConfigurationFlags, type LoadedConfiguration } from './loadConfiguration.ts';
import { eventTopics } from './topics.ts';

const folder = testFolder();
const key = `0x${'1a'.repeat(32)}`;

function load(changes: Record<string, string | null> = {}, flags: ConfigurationFlags = {}): LoadedConfiguration {
  return loadConfiguration({ '-conf': writeConfiguration(folder, changes), ...flags });
}

/** Every sentence of the fault; empty where there is none. */
function faultsOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationFault) return error.faults.map(({ where, sentence }) => `${where.replace(`${folder}/`, '')}: ${sentence}`);
    throw error;
  }
}
const faultsWith = (changes: Record<string, string | null>, flags: ConfigurationFlags = {}): string[] => faultsOf(() => load(changes, flags));
const faultsIn = (text: string): string[] => {
  const path = join(folder, 'raw.yaml');
  writeFileSync(path, text, { mode: 0o600 });
  return faultsOf(() => loadConfiguration({ '-conf': path }));
};

const root = ({ configuration }: LoadedConfiguration): unknown => configuration.attestation.trustRoot.fingerprint;
const health = ({ configuration }: LoadedConfiguration): unknown => configuration.node.healthListen;
const log = ({ configuration }: LoadedConfiguration): unknown => configuration.log;

describe('each key of the file', () => {
  /** Name of the key: texts that are taken, with what becomes of them, and texts that are not. */
  const rows: readonly [string, readonly [string, (loaded: LoadedConfiguration) => unknown, unknown][], readonly string[]][] = [
    ['chain.chain_id', [['42161', chain('chainId'), 42_161], ['"1"', chain('chainId'), 1], ['9007199254740991', chain('chainId'), 9_007_199_254_740_991]], ['0', '-1', '1.5', '0x10', 'abc', '9007199254740992', '1e3', '[1]', '{a: 1}', 'true']],
    ['chain.chain_name', [['"arbitrum"', chain('chainName'), 'arbitrum'], ['1', chain('chainName'), '1']], ['"a\\nb"', `"${'x'.repeat(65)}"`, '[a]']],
    ['chain.rpc_url', [['https://a.example/rpc/', chain('rpcUrls'), ['https://a.example/rpc']], ['"http://a, http://b:1"', chain('rpcUrls'), ['http://a', 'http://b:1']], ['[http://a, http://b, http://a]', chain('rpcUrls'), ['http://a', 'http://b']]], ['ftp://a', 'a.example', 'wss://a', '[http://a, b]', '[]', '5', `[${Array.from({ length: 17 }, (_, at) => `http://h${at}`).join(', ')}]`]],
    ['chain.start_block', [['0', chain('startBlock'), 0], ['1000000000000', chain('startBlock'), 1e12]], ['-1', '1000000000001', 'latest']],
    ['chain.offset_block', [['0', chain('offsetBlock'), 0], ['1000000000', chain('offsetBlock'), 1e9]], ['-1', '1000000001', '0.5']],
    ['chain.max_block_per_query', [['1', chain('maxBlockPerQuery'), 1], ['100000', chain('maxBlockPerQuery'), 100_000]], ['0', '100001']],
    ['chain.query_ticker', [['1', chain('queryIntervalSeconds'), 1], ['3600', chain('queryIntervalSeconds'), 3_600]], ['0', '3601', '5s']],
    ['chain.report_delay', [['0', chain('reportDelaySecondsMax'), 0], ['600', chain('reportDelaySecondsMax'), 600]], ['-1', '601']],
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
    ['attestation.allow_list', [[`[{mr_enclave: "${'ab'.repeat(32)}"}]`, ({ configuration }) => configuration.attestation.policy.allowList?.[0]?.mrEnclave, 'ab'.repeat(32)]], ['everything', '[]', '[{mr_enclave: "12"}]', '[{product_id: 1}]']],
    ['attestation.tcb_policy', [['strict', tcb, ['UpToDate']], ['[UpToDate, OutOfDate]', tcb, ['UpToDate', 'OutOfDate']]], ['generous', '[Revoked]', '[]', '5']],
    ['attestation.trust_root', [[`"${'AB'.repeat(32)}"`, root, 'ab'.repeat(32)], [`"${Array.from({ length: 32 }, () => 'AB').join(':')}"`, root, 'ab'.repeat(32)]], ['intel', `"${'ab'.repeat(31)}"`]],
    ['alert.url', [['https://a.example/hook?x=1', of('alertUrl'), 'https://a.example/hook?x=1']], ['a.example', 'mailto:a@b.example']],
    ['node.data_path', [['/var/lib/verifier', ({ configuration }) => configuration.node.dataPath, '/var/lib/verifier']], ['[a]']],
    ['node.reenter', [['false', ({ configuration }) => configuration.node.reenter, false]], ['no']],
    ['node.health_listen', [['127.0.0.1:9464', health, { host: '127.0.0.1', port: 9_464 }], ['"[::1]:1"', health, { host: '::1', port: 1 }]], ['0.0.0.0:9464', 'localhost:9464', '127.0.0.1', '127.0.0.1:65536', '127.0.0.1:0', '127.0.0.256:80', '9464']],
    ['log.format', [['json', log, { format: 'json', level: 'info', path: null }]], ['xml']],
    ['log.level', [['debug', log, { format: 'human', level: 'debug', path: null }]], ['loud']],
    ['log.path', [['node.log', log, { format: 'human', level: 'info', path: 'node.log' }]], ['[a]']],
  ];

  it('has a row here, in the order of the schema; the three of the key have tests of their own', () => {
    const own = ['wallet.private_key', 'wallet.keystore_path', 'wallet.keystore_password'];
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
      chain: { chainId: 31_337, chainName: 'chain-31337', rpcUrls: ['http://127.0.0.1:8545'], startBlock: 0, offsetBlock: 14_400, maxBlockPerQuery: 500, queryIntervalSeconds: 5, reportDelaySecondsMax: 0 },
      contract: { service: '0xa91ff8b606ba57d8c6638dd8cf3fc7eb15a9c634', teeEmitter: '0xa91ff8b606ba57d8c6638dd8cf3fc7eb15a9c634', ...eventTopics },
      domain: { name: 'ProtocolService', version: '1.0.0', chainId: 31_337n },
      rewardClaimer: null, commissionRate: null, expirySeconds: 3_600, alertUrl: null,
      sending: { through: 'gateway', url: 'http://127.0.0.1:8080', version: null },
      attestation: { collateralPath: './collateral', policy: { allowList: null, acceptedStatuses: ['UpToDate', 'SWHardeningNeeded', 'ConfigurationNeeded', 'ConfigurationAndSWHardeningNeeded'] }, trustRoot: intelTrustRoot },
      node: { dataPath: './verifier-data', reenter: true, healthListen: null }, log: { format: 'human', level: 'info', path: null },
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

describe('the wallet', () => {
  const inFile = { 'wallet.mode': '2', 'wallet.keystore_path': 'node.json' };
  it.each<[string, Record<string, string | null>, ConfigurationFlags, unknown]>([
    ['mode 0 and -private-key', {}, { '-private-key': key.slice(2) }, { kind: 'clear', privateKey: key, from: '-private-key' }],
    ['mode 0 and -keystore-path', {}, { '-keystore-path': 'k.json' }, { kind: 'keystore', path: 'k.json', password: { kind: 'ask' } }],
    ['mode 0, path and password by flag', {}, { '-keystore-path': 'k.json', '-keystore-password': '-x ' }, { kind: 'keystore', path: 'k.json', password: { kind: 'given', password: '-x ', from: '-keystore-password' } }],
    ['mode 0, path and password file by flag', {}, { '-keystore-path': 'k.json', '-password-file': 'p' }, { kind: 'keystore', path: 'k.json', password: { kind: 'file', path: 'p' } }],
    ['no mode', { 'wallet.mode': null }, { '-private-key': key }, { kind: 'clear', privateKey: key, from: '-private-key' }],
    ['mode 1', { 'wallet.mode': '1', 'wallet.private_key': key }, {}, { kind: 'clear', privateKey: key, from: 'wallet.private_key' }],
    ['mode 2 without a password', inFile, {}, { kind: 'keystore', path: 'node.json', password: { kind: 'ask' } }],
    ['mode 2 with a password', { ...inFile, 'wallet.keystore_password': '123456' }, {}, { kind: 'keystore', path: 'node.json', password: { kind: 'given', password: '123456', from: expect.stringContaining('line') as string } }],
    ['mode 2, password file by flag', { ...inFile, 'wallet.keystore_password': '123456' }, { '-password-file': 'p' }, { kind: 'keystore', path: 'node.json', password: { kind: 'file', path: 'p' } }],
    ['mode 2, path by flag', { ...inFile, 'wallet.keystore_password': '123456' }, { '-keystore-path': 'k.json' }, { kind: 'keystore', path: 'k.json', password: expect.objectContaining({ password: '123456' }) as object }],
    ['mode 1, another key by flag', { 'wallet.mode': '1', 'wallet.private_key': `0x${'2b'.repeat(32)}` }, { '-private-key': key }, { kind: 'clear', privateKey: key, from: '-private-key' }],
    ['mode 2, a placeholder as private_key', { ...inFile, 'wallet.private_key': '<PRIVATE_KEY>' }, {}, { kind: 'keystore', path: 'node.json', password: { kind: 'ask' } }],
  ])('takes the key from %s', (_how, changes, flags, expected) => {
    expect(load(changes, flags).key).toEqual(expected);
  });

  it.each<[string, Record<string, string | null>, ConfigurationFlags, string]>([
    ['-private-key and -keystore-path', {}, { '-private-key': key, '-keystore-path': 'k' }, 'cannot stand together with -keystore-path'],
    ['-private-key and -keystore-password', {}, { '-private-key': key, '-keystore-password': 'k' }, 'cannot stand together with -keystore-password'],
    ['-private-key and -password-file', {}, { '-private-key': key, '-password-file': 'k' }, 'cannot stand together with -password-file'],
    ['two passwords', {}, { '-keystore-path': 'k', '-keystore-password': 'k', '-password-file': 'k' }, 'cannot stand together with -password-file'],
    ['mode 0 and only a password', {}, { '-password-file': 'k' }, 'Add -keystore-path'],
    ['mode 1 without its key', { 'wallet.mode': '1' }, {}, 'wallet.private_key is missing'],
    ['mode 1 with an empty key', { 'wallet.mode': '1', 'wallet.private_key': '""' }, {}, 'wallet.private_key is missing'],
    ['mode 1 with half a key', { 'wallet.mode': '1', 'wallet.private_key': key.slice(0, 40) }, {}, '(not shown) is not right'],
    ['mode 1 and a password', { 'wallet.mode': '1', 'wallet.private_key': key }, { '-keystore-password': 'k' }, 'wallet.mode is 1'],
    ['mode 2 without its path', { 'wallet.mode': '2' }, {}, 'wallet.keystore_path is missing'],
    ['half a key by flag', {}, { '-private-key': key.slice(0, 40) }, '(not shown) is not right'],
  ])('is refused with a sentence: %s', (_how, changes, flags, sentence) => {
    const faults = faultsWith(changes, flags);
    expect(faults).toEqual([expect.stringContaining(sentence)]);
    expect(faults.join()).not.toContain(key.slice(2, 20));
  });

  it('of mode 0 without flags gives no key, and says what to do', () => {
    const { key: source, missingKey } = load();
    expect(source).toBeNull();
    expect(missingKey.sentence).toMatch(/wallet\.mode is 0.*-keystore-path/);
    expect(load({ 'wallet.private_key': key }).missingKey.sentence).toContain('with wallet.mode: 1 only');
  });
});

describe('flags', () => {
  it('win over the file', () => {
    const changes = { 'wallet.reward_claimer_addr': `"0x${'11'.repeat(20)}"`, 'wallet.commission_rate': '5' };
    const { configuration, origins } = load(changes, { '-reward-address': `0x${'22'.repeat(20)}`, '-commission-rate': '0' });
    expect(configuration).toMatchObject({ rewardClaimer: `0x${'22'.repeat(20)}`, commissionRate: 0 });
    expect(origins.get('wallet.commission_rate')).toBe('-commission-rate');
  });

  it('are named where their value is wrong, also where that of the file is right', () => {
    expect(faultsWith({ 'wallet.commission_rate': '5' }, { '-commission-rate': '101' })).toEqual([`-commission-rate: its value is "101"; it must be ${keys.commissionRate.range}.`]);
    expect(faultsWith({}, { '-reward-address': '0x12' })).toEqual([`-reward-address: its value is "0x12"; it must be ${keys.rewardClaimer.range}.`]);
  });

  it('are not repeated where a key was put into the wrong one', () => {
    expect(faultsWith({}, { '-reward-address': key }).join()).not.toContain(key.slice(2, 20));
    expect(faultsWith({ 'chain.chain_name': `"${key.repeat(2)}"` }).join()).not.toContain(key.slice(2, 20));
  });
});

describe('warnings', () => {
  const warningsWith = (changes: Record<string, string | null>, flags: ConfigurationFlags = {}): string[] => load(changes, flags).warnings.map(({ where, sentence }) => `${where.replace(`${folder}/`, '')}: ${sentence}`);
  it('are not given for what is in order', () => {
    expect(warningsWith({})).toEqual([]);
  });

  it.each<[string, string | null]>([
    ['chain.chain_idd', 'chain.chain_id'], ['chain.offsetblock', 'chain.offset_block'], ['wallet.chain_name', 'chain.chain_name'], ['contract.topic4', 'contract.topic1'],
    ['gasless.url', 'alert.url'], ['node.banana_split', null], ['chain.__proto__', null], ['constructor.name', null],
  ])('name an unknown key with its line, and the nearest known one: %s', (name, near) => {
    const [warning, ...more] = warningsWith({ [name]: '1' });
    expect(more).toEqual([]);
    expect(warning).toMatch(/^verifier\.yaml, line \d+: /);
    expect(warning).toContain(`${name} is not known and has no effect`);
    if (near === null) expect(warning).not.toContain('did you mean');
    else expect(warning).toMatch(/did you mean \w+\.\w+\?$/);
  });

  it('say that a topic is not the one that the program knows', () => {
    expect(warningsWith({ 'contract.topic3': `"0x${'12'.repeat(32)}"` })).toEqual([expect.stringContaining('contract.topic3 is not the event that this program knows')]);
  });
  it('tell a trust root that is not Intel\'s, but on a local chain', () => {
    const root = { 'attestation.trust_root': 'ab'.repeat(32) };
    expect(warningsWith({ ...root, 'chain.chain_id': '42161' })).toEqual([expect.stringContaining("attestation.trust_root is not Intel's root")]);
    expect(warningsWith(root)).toEqual([]);
  });

  it('say that a secret lies in a file that is not used, or that others may read', () => {
    expect(warningsWith({ 'wallet.private_key': key })).toEqual([expect.stringContaining('wallet.private_key is not used in mode 0; remove it')]);
    expect(warningsWith({ 'wallet.mode': '1', 'wallet.private_key': key })).toEqual([]);
    const path = writeConfiguration(folder, { 'wallet.mode': '1', 'wallet.private_key': key }, 'open.yaml');
    chmodSync(path, 0o644);
    expect(loadConfiguration({ '-conf': path }).warnings.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('chmod 600')]);
  });

  it('say that a mode is not followed where a flag gives the key', () => {
    expect(warningsWith({ 'wallet.mode': '2', 'wallet.keystore_path': 'a' }, { '-private-key': key })).toEqual([expect.stringContaining('wallet.mode 2 is not followed, since -private-key gives the key')]);
  });

  it('come with the faults, since an unknown key may be why another is missing', () => {
    try {
      load({ 'chain.chain_id': null, 'chain.chainid': '5' });
      expect.unreachable();
    } catch (error) {
      expect((error as ConfigurationFault).warnings[0]?.sentence).toContain('did you mean chain.chain_id?');
    }
  });
});

describe('a hostile file', () => {
  const good = configurationText();
  it.each<[string, string, RegExp]>([
    ['a key twice', `${good}wallet:\n  mode: 1\n`, /line 10: a key stands twice/],
    ['tabs', 'chain:\n\tchain_id: 1\n', /line 2: a tab indents/],
    ['an open quote', 'chain:\n  chain_name: "a\n', /a quote, bracket, colon or blank is missing/],
    ['an alias', 'chain:\n  chain_id: &a 1\n  start_block: *a\n', /anchors and aliases/],
    ['aliases by the million', `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.split('').map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9)}]`).join('\n')}\n`, /chain\.chain_id is missing/],
    ['two documents', `${good}---\nchain: {}\n`, /second document/],
    ['a list', '- 1\n- 2\n', /must consist of sections/],
    ['text', 'hello', /must consist of sections/],
    ['a section that is a value', good.replace(/chain:\n(  .*\n)+/, 'chain: 5\n'), /chain is a section/],
    ['a section that is a list', good.replace(/chain:\n(  .*\n)+/, 'chain: [1]\n'), /chain is a section/],
    ['keys that are lists', `? [a]\n: 1\n${good.replace('31337', 'x')}`, /a key must be plain text/],
    ['brackets by the thousand', '['.repeat(100_000), /./],
    ['braces by the thousand', '{a: '.repeat(30_000), /./],
    ['an unknown directive and tag', `%YAML 9\n---\nchain: !!python/object:os.system [x]\n`, /./],
    ['control characters', 'chain:\n  chain_id: "\u0001\u001b[31m"\n', /line 2: chain\.chain_id is "/],
    ['an empty file', '', /chain\.chain_id is missing/],
    ['nothing but a mark of order', '\ufeff', /chain\.chain_id is missing/],
  ])('is refused with a sentence: %s', (_what, text, sentence) => {
    const faults = faultsIn(text);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join('\n')).toMatch(sentence);
    // oxlint-disable-next-line no-control-regex -- a terminal would act on them
    expect(faults.join('')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it('does not show what stands in it where it is no YAML', () => {
    for (const text of [`wallet:\n  private_key: "${key}\n`, `wallet:\n  private_key: *${key}\n`, `${key}: {\n`, `wallet:\n  keystore_password: "\\q${key}"\n`, `wallet:\n  keystore_password: @${key}\n`]) {
      expect(faultsIn(text).join()).not.toContain(key.slice(2, 20));
    }
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['no file', () => {}, /there is no such file/],
    ['a folder', (path) => mkdirSync(path), /it is a folder/],
    ['300 KB', (path) => writeFileSync(path, 'a'.repeat(300_000)), /longer than 256 KB/],
    ['bytes', (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00])), /not UTF-8/],
  ])('is refused before it is read: %s', (what, make, sentence) => {
    const path = join(folder, what);
    make(path);
    expect(faultsOf(() => loadConfiguration({ '-conf': path })).join()).toMatch(sentence);
  });

  it.runIf(process.platform === 'linux')('ends where the file does not', () => {
    expect(faultsOf(() => loadConfiguration({ '-conf': '/dev/zero' })).join()).toMatch(/longer than 256 KB/);
  });
});

describe('files of others', () => {
  it('are taken: that of the local chain', () => {
    const address = `0x${'12'.repeat(20)}` as const;
    const text = nodeConfiguration({
      rpcUrl: 'http://127.0.0.1:8545', chainId: 31_337, contracts: { service: address, license: address, settings: address, vrf: address, multicall3: address },
      relayer: { address, privateKey: `0x${'12'.repeat(32)}` }, operators: [{ address, privateKey: `0x${'1a'.repeat(32)}` }],
      domain: { name: 'ProtocolService', version: '1.0.0' },
    } as unknown as Parameters<typeof nodeConfiguration>[0], 'http://127.0.0.1:8080');
    const path = join(folder, 'devnet.yaml');
    writeFileSync(path, text, { mode: 0o600 });
    const { configuration, key: source, warnings } = loadConfiguration({ '-conf': path });
    expect(warnings).toEqual([]);
    expect(source).toMatchObject({ kind: 'clear', privateKey: key });
    expect(configuration).toMatchObject({ commissionRate: 500, rewardClaimer: address, chain: { chainName: 'vouch-devnet', offsetBlock: 1_000 } });
  });

  it('are taken: one written for the node program in the field', () => {
    const text = `env: ENV_PROD\nchain:\n  chain_id: 42161\n  chain_name: "arbitrum"\n  rpc_url: "https://arb1.arbitrum.io/rpc"\n  start_block: 0\n  offset_block: 14400 # one hour\n  max_block_per_query: 500\n  query_ticker: 5 # second\n  report_delay: 30 # second\n  enable_gas_mode: false\ncontract:\n  addr: "0xa91fF8b606BA57D8c6638Dd8CF3FC7eB15a9c634"\n  tee_addr: "0x8A5614d82187BAa01FB004D5adAcC86992543e67"\n  topic1: "${eventTopics.topic1}"\n  topic2: "${eventTopics.topic2}"\n  topic3: "${eventTopics.topic3}"\nwallet:\n  mode: 2\n  private_key: ""\n  keystore_path: "./keystore/UTC--2024"\n  keystore_password: "123456"\n  reward_claimer_addr: "0x689d0b32Da0480095b7AE7b604f1b1997736B3F9"\n  commission_rate: 100\nsignature:\n  domain_name: "ProtocolService"\n  domain_version: "1.0.0"\n  expired_time: 3600\ngasless_service:\n  url: "https://gateway.example"\n  version: "1.0.0"\n`;
    const path = join(folder, 'field.yaml');
    writeFileSync(path, text, { mode: 0o600 });
    const { configuration, warnings } = loadConfiguration({ '-conf': path });
    expect(warnings.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('env is not known')]);
    expect(configuration.commissionRate).toBe(10_000);
  });
});

describe('the example', () => {
  const path = fileURLToPath(new URL('../../../examples/verifier/verifier.yaml', import.meta.url));
  const text = readFileSync(path, 'utf8');

  it('is in order, and names every key with its section', () => {
    expect(loadConfiguration({ '-conf': path }).warnings).toEqual([]);
    const bare = text.replaceAll(/^( *)# ?(?=[ \w]+:|  )/gm, '$1');
    for (const { name } of keyList) expect(bare, name).toMatch(new RegExp(`^ *#? *${name.split('.')[1]}:`, 'm'));
  });

  it('says as a comment what holds without a key', () => {
    for (const name of ['max_block_per_query', 'query_ticker', 'report_delay', 'enable_gas_mode', 'collateral_path', 'data_path', 'reenter']) {
      const { absent } = keyList.find((known) => known.name.endsWith(`.${name}`))!;
      expect(text).toMatch(new RegExp(`# +${name}: "?${absent!.replaceAll('.', '\\.')}"?$`, 'm'));
    }
  });
});

describe('the guide', () => {
  const text = readFileSync(fileURLToPath(new URL('../../../docs/guides/verifier.md', import.meta.url)), 'utf8');

  it('names every key and flag, and what holds without a key', () => {
    for (const { name } of flags) expect(text).toMatch(new RegExp(`^\\| \`${name}[ \`]`, 'm'));
    for (const { name, absent } of keyList) {
      const row = text.split('\n').find((line) => line.startsWith('|') && line.split('|')[1]!.includes(`\`${name}\``));
      expect(row, name).toBeDefined();
      if (absent === undefined) expect(row).toContain('must be there');
      else if (/^[\w./]+$/.test(absent) && absent !== 'none') expect(row!.split('|')[3]).toContain(absent);
    }
  });
});

it('knows the events of the contract by their hashes', () => {
  const topicOf = (name: 'TeeReportAttestations' | 'ConfirmVrfNodes' | 'NodeClear'): string => toEventSelector(getAbiItem({ abi: verifierServiceAbi, name }));
  expect(eventTopics).toEqual({ topic1: topicOf('TeeReportAttestations'), topic2: topicOf('ConfirmVrfNodes'), topic3: topicOf('NodeClear') });
});
