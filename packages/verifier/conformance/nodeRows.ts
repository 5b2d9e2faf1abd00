import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lightScrypt } from '@vouch/chain/keystore/deriveKey';
import { sealKeystore } from '@vouch/chain/keystore/keystore';
import { inHouseOf, type ConformanceContext, type ConformanceRow, type ConformanceSuite, type Ended, type NodeProgram } from '@vouch/platform/conformance/context';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';

/** A publicly known private key, its Ethereum address, and another Ethereum address. */
const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const node = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
const claimer = '0x689d0b32Da0480095b7AE7b604f1b1997736B3F9';

/** A valid configuration. Nothing answers at its URLs. */
const orderly: Readonly<Record<string, string>> = {
  'chain.chain_id': '31337', 'chain.rpc_url': '"http://127.0.0.1:9"', 'contract.addr': '"0xa91fF8b606BA57D8c6638Dd8CF3FC7eB15a9c634"',
  'wallet.mode': '0', 'gasless_service.url': '"http://127.0.0.1:9"',
};

/** Operations of the rows on the program. */
interface Program extends NodeProgram {
  context: ConformanceContext;
  guide(): Promise<string>;
  /** Writes a configuration with changed keys. @returns its path */
  conf(changes?: Readonly<Record<string, string>>): string;
  /** Runs a node that receives the stop signal as soon as it starts. */
  start(changes: Readonly<Record<string, string>>, ...flags: string[]): Promise<Ended>;
  /** Returns the effective value of a configuration key and its origin. */
  used(name: string, changes?: Readonly<Record<string, string>>, flags?: readonly string[]): Promise<{ value: string; from: string }>;
}

let files = 0;

function row(statement: string, shows: string, check: (program: Program) => Promise<void>): ConformanceRow {
  return { statement, shows, check: async (context) => check(programOf(context)) };
}

function programOf(context: ConformanceContext): Program {
  const { node: program, readFile } = inHouseOf(context, 'the node program of the same sources');
  const conf: Program['conf'] = (changes = {}) => {
    const path = join(program.folder, `verifier-${++files}.yaml`);
    writeFileSync(path, configurationText({ ...orderly, ...changes }), { mode: 0o600 });
    return path;
  };
  return {
    ...program, context, conf,
    guide: () => readFile('docs/guides/verifier.md'),
    start: (changes, ...flags) => program.run(['-conf', conf(changes), ...flags]),
    async used(name, changes = {}, flags = []) {
      const { code, output, errors } = await program.run(['config', 'check', '-json', '-conf', conf(changes), ...flags]);
      assert.deepEqual([code, errors], [0, '']);
      const { values } = JSON.parse(output) as { values: { key: string; value: string; from: string }[] };
      const found = values.find((shown) => shown.key === name);
      assert.ok(found !== undefined, `${name} is not shown`);
      return { value: found.value, from: found.from };
    },
  };
}

function configurationText(values: Readonly<Record<string, string>>): string {
  const sections = new Map<string, string[]>();
  for (const [name, value] of Object.entries(values)) {
    const [section = '', last = ''] = name.split('.');
    sections.set(section, [...(sections.get(section) ?? []), `  ${last}: ${value}`]);
  }
  return [...sections].map(([section, lines]) => `${section}:\n${lines.join('\n')}\n`).join('');
}

/** Tests a key of the file: the value `written` is accepted and displayed as `shown`, the value `wrong` is rejected with the key's name. */
function keyRow(statement: string, name: string, [written, shown]: readonly [string, string], wrong: string): ConformanceRow {
  return row(statement, `${name}: ${written} is accepted, ${wrong} is rejected with the name of the key`, async ({ used, start }) => {
    const { value, from } = await used(name, { [name]: written });
    assert.equal(value, shown);
    assert.match(from, /, line \d+$/);
    const { code, errors } = await start({ [name]: wrong }, '-private-key', key);
    assert.equal(code, 2, `the program ended with ${code}`);
    assert.ok(errors.includes(name), errors);
  });
}

async function expectNode(ended: Promise<Ended>): Promise<void> {
  const { output, errors } = await ended;
  assert.ok(output.includes(node), `the node ${node} did not begin: ${output}${errors}`);
}

async function expectFault(ended: Promise<Ended>, ...words: string[]): Promise<void> {
  const { code, errors } = await ended;
  assert.equal(code, 2, `the program ended with ${code}`);
  for (const word of words) assert.ok(errors.includes(word), `${JSON.stringify(errors)} should name ${word}`);
}

interface Keystore {
  path: string;
  address: string;
  password: string;
}

/** Writes a keystore of `key` with a light key derivation, because the standard one takes a second each time it is opened. */
async function keystoreOf({ folder }: Program): Promise<Keystore> {
  const [path, password] = [join(folder, `key-${++files}.json`), 'long enough'];
  writeFileSync(path, await sealKeystore(`0x${key}`, password, systemInterfaces.random, lightScrypt), { mode: 0o600 });
  return { path, address: node, password };
}

/** Creates a keystore with the program. */
async function generateKeystore({ folder, run }: Program): Promise<Keystore> {
  const [path, password] = [join(folder, `key-${++files}.json`), 'long enough'];
  const { code, output, errors } = await run(['-generate-keystore', '-keystore-path', path], `${password}\n`);
  assert.equal(code, 0, errors);
  return { path, address: output.trim(), password };
}

const hash = `0x${'12'.repeat(32)}`;

const serviceRows: readonly ConformanceRow[] = [
  row('S11', 'a node starts with its key and reward settings from flags alone, and from a file alone', async ({ start, used }) => {
    await expectNode(start({}, '-private-key', key, '-reward-address', claimer, '-commission-rate', '5'));
    const inFile = { 'wallet.mode': '1', 'wallet.private_key': `"${key}"`, 'wallet.reward_claimer_addr': `"${claimer}"`, 'wallet.commission_rate': '5' };
    await expectNode(start(inFile));
    assert.equal((await used('wallet.reward_claimer_addr', inFile)).value, claimer);
  }),
  row('S12', 'a starting node listens on no port', async (program) => {
    const observed = await observeSockets(program);
    assert.ok(!observed.includes('listens'), `the node listens: ${observed}`);
  }),
  row('S13', 'the guide states these figures', async ({ guide }) => {
    const text = await guide();
    for (const figure of ['1 CPU core', '2 GB', '4 Mbit/s', '4 GB', '8 Mbit/s']) assert.ok(text.includes(figure), `the guide should name ${figure}`);
  }),
  row('S14', 'the built program is smaller than 100 MB', async ({ bundle }) => {
    const bytes = readdirSync(bundle).reduce((sum, name) => sum + statSync(join(bundle, name)).size, 0);
    assert.ok(bytes > 100_000 && bytes < 100_000_000, `the program has ${bytes} bytes`);
  }),
];

/** Runs the built program until its key opens, and returns the output of an observer of its sockets. */
async function observeSockets({ bundle, folder, conf }: Program): Promise<string> {
  const observer = join(folder, 'observer.cjs');
  writeFileSync(observer, "const net = require('node:net'); const { listen } = net.Server.prototype;\nnet.Server.prototype.listen = function (...given) { process.stderr.write('listens\\n'); return listen.apply(this, given); };\n");
  const path = conf({ 'node.data_path': JSON.stringify(join(folder, `data-${++files}`)) });
  const child = spawn(process.execPath, ['--require', observer, join(bundle, 'verifier.mjs'), '-conf', path, '-private-key', key], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  let output = '';
  child.stderr.on('data', (part: Buffer) => (errors += part.toString()));
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString();
    // From this line on, the program waits for its chain; its own servers would already be listening.
    if (output.includes('the key opens: node')) setImmediate(() => child.kill('SIGTERM'));
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.ok(output.includes(node), `the node did not begin (${String(code)}): ${output}${errors}`);
  return errors;
}

const flagRows: readonly ConformanceRow[] = [
  row('P1', 'the node starts with the address of the key, with and without 0x; half a key is rejected', async ({ start }) => {
    for (const given of [key, `0x${key}`]) await expectNode(start({}, '-private-key', given));
    assert.notEqual((await start({}, '-private-key', key.slice(32))).code, 0);
  }),
  row('P2', 'the node starts with the address of the keystore; a path without a file is rejected', async (program) => {
    const { path, address, password } = await keystoreOf(program);
    assert.ok((await program.start({}, '-keystore-path', path, '-keystore-password', password)).output.includes(address));
    assert.notEqual((await program.start({}, '-keystore-path', `${path}.none`, '-keystore-password', password)).code, 0);
  }),
  row('P3', 'the password opens the keystore; a wrong password does not', async (program) => {
    const { path, address, password } = await keystoreOf(program);
    assert.ok((await program.start({}, '-keystore-path', path, '-keystore-password', password)).output.includes(address));
    const wrong = await program.start({}, '-keystore-path', path, '-keystore-password', 'another password');
    assert.ok(wrong.code !== 0 && !wrong.output.includes(address), 'another password should not open it');
  }),
  row('P4', 'the node uses the address of the flag; a word is rejected', async ({ used, start }) => {
    assert.deepEqual(await used('wallet.reward_claimer_addr', {}, ['-reward-address', claimer]), { value: claimer, from: '-reward-address' });
    await expectFault(start({}, '-private-key', key, '-reward-address', 'me'), 'reward');
  }),
  row('P5', '0, 5 and 100 are accepted; -1, 101 and words are rejected', async ({ used, start }) => {
    for (const [given, value] of [['0', '0 %'], ['5', '5 %'], ['100', '100 %']] as const) {
      assert.deepEqual(await used('wallet.commission_rate', {}, ['-commission-rate', given]), { value, from: '-commission-rate' });
    }
    for (const given of ['-1', '101', 'x']) await expectFault(start({}, '-private-key', key, '-commission-rate', given));
  }),
  row('P6', 'the program creates a keystore that only this user can read and that the password opens', async (program) => {
    const { path, address, password } = await generateKeystore(program);
    assert.match(address, /^0x[0-9a-fA-F]{40}$/);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal((JSON.parse(readFileSync(path, 'utf8')) as { version: number }).version, 3);
    assert.ok((await program.run(['keystore', 'inspect', '-keystore-path', path, '-keystore-password', password])).output.includes('opens it'));
  }),
  row('P7', 'the node uses the file; a path without a file is rejected', async ({ used, run, folder }) => {
    assert.match((await used('chain.chain_id')).from, /verifier-\d+\.yaml, line 2$/);
    await expectFault(run(['-conf', join(folder, 'none.yaml')]), 'none.yaml');
  }),
  row('P8', 'the help and the guide state this', async ({ run, guide }) => {
    assert.match((await run(['-h'])).output, /never\s+use\s+the\s+key\s+of\s+your\s+main\s+account/i);
    assert.match(await guide(), /never use the key of your main account/);
  }),
  row('P9', 'the guide describes both ways and the finding for a key without a license', async ({ guide }) => {
    const text = await guide();
    assert.match(text, /key must hold a license, or a license must be delegated/);
    assert.match(text, /`not-delegated`/);
  }),
];

const keyRows: readonly ConformanceRow[] = [
  keyRow('P10', 'chain.chain_id', ['42161', '42161'], '"arbitrum"'),
  keyRow('P11', 'chain.chain_name', ['"arbitrum"', 'arbitrum'], '[1, 2]'),
  keyRow('P12', 'chain.rpc_url', ['"https://rpc.example"', 'https://rpc.example'], '"rpc"'),
  keyRow('P13', 'chain.start_block', ['17', '17'], '"early"'),
  keyRow('P14', 'chain.offset_block', ['14400', '14400'], '1.5'),
  keyRow('P15', 'contract.addr', [`"${claimer}"`, claimer], '"0x12"'),
  keyRow('P16', 'contract.tee_addr', [`"${claimer}"`, claimer], '"0x12"'),
  ...[['P17', 'contract.topic1'], ['P18', 'contract.topic2']].map(([statement = '', name = '']) =>
    row(statement, `${name}: 32 bytes in hex are accepted, 2 bytes are rejected with the name of the key`, async ({ run, conf, start }) => {
      const { code, output } = await run(['config', 'check', '-conf', conf({ [name]: `"${hash}"` })]);
      assert.deepEqual([code, output.includes(hash)], [0, true]);
      await expectFault(start({ [name]: '"0x1212"' }, '-private-key', key), name);
    })),
  row('P19', 'with -private-key, the node starts; without a key, the program states what is missing', async ({ start }) => {
    await expectNode(start({ 'wallet.mode': '0' }, '-private-key', key));
    await expectFault(start({ 'wallet.mode': '0' }), 'wallet.mode is 0');
  }),
  row('P20', 'with the key in the file, the node starts; without the key, the program reports the missing key', async ({ start }) => {
    await expectNode(start({ 'wallet.mode': '1', 'wallet.private_key': `"${key}"` }));
    await expectFault(start({ 'wallet.mode': '1' }), 'wallet.private_key is missing');
  }),
  row('P21', 'with the path in the file, the node starts; without the path, the program reports the missing path', async (program) => {
    const { path, address, password } = await keystoreOf(program);
    const changes = { 'wallet.mode': '2', 'wallet.keystore_path': JSON.stringify(path), 'wallet.keystore_password': `"${password}"` };
    assert.ok((await program.start(changes)).output.includes(address));
    await expectFault(program.start({ 'wallet.mode': '2' }), 'wallet.keystore_path is missing');
  }),
  row('P22', 'the password in the file opens the keystore; a wrong password does not', async (program) => {
    const { path, address, password } = await keystoreOf(program);
    const changes = { 'wallet.mode': '2', 'wallet.keystore_path': JSON.stringify(path) };
    assert.ok((await program.start({ ...changes, 'wallet.keystore_password': `"${password}"` })).output.includes(address));
    assert.ok(!(await program.start({ ...changes, 'wallet.keystore_password': '"another password"' })).output.includes(address));
  }),
  keyRow('P23', 'wallet.reward_claimer_addr', [`"${claimer}"`, claimer], '"me"'),
  keyRow('P24', 'wallet.commission_rate', ['100', '100 %'], '101'),
  keyRow('P25', 'signature.domain_name', ['"Other"', 'Other'], '[1, 2]'),
  keyRow('P26', 'signature.domain_version', ['"2.0.0"', '2.0.0'], '[1, 2]'),
  keyRow('P27', 'signature.expired_time', ['7200', '7200 s'], '"soon"'),
  keyRow('P28', 'gasless_service.url', ['"https://gateway.example"', 'https://gateway.example'], '"gateway"'),
  row('L2', 'the node rejects a commission of 101 percent', async ({ start }) => {
    await expectFault(start({ 'wallet.commission_rate': '101' }, '-private-key', key), 'it must be a percentage from 0 to 100');
  }),
  row('L5', 'the example has 3600, and a file without the key has the same value', async ({ context, used, run, folder }) => {
    const example = join(folder, `example-${++files}.yaml`);
    writeFileSync(example, await inHouseOf(context, 'the example').readFile('examples/verifier/verifier.yaml'), { mode: 0o600 });
    const { values } = JSON.parse((await run(['config', 'check', '-json', '-conf', example])).output) as { values: { key: string; value: string }[] };
    assert.equal(values.find((shown) => shown.key === 'signature.expired_time')?.value, '3600 s');
    assert.deepEqual(await used('signature.expired_time'), { value: '3600 s', from: 'default' });
  }),
  row('Z4', 'a warning names an unknown key and the nearest known key', async ({ run, conf }) => {
    const { errors } = await run(['config', 'check', '-conf', conf({ 'chain.chain_idd': '1' })]);
    for (const name of ['chain.chain_idd', 'chain.chain_id?']) assert.ok(errors.includes(name), `${JSON.stringify(errors)} should name ${name}`);
  }),
];

/** Conformance suite of the node program: each statement of the specification is shown by running the program. */
export const verifierConformance: ConformanceSuite = {
  name: 'verifier',
  prepare: async () => {},
  rows: [...serviceRows, ...flagRows, ...keyRows],
};
