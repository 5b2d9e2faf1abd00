import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { freePort } from '@vouch/platform/testing/freePort';
import { writeLightKeystore } from './world/lightKeystore.ts';
import { findInFolder, findInProcesses, findInText, type Secret } from './world/findSecrets.ts';
import type { NodeFile } from './world/nodeFile.ts';
import { openNodeWorld, type NodeWorld, type PostedAttestation, type WorldNode } from './world/openNodeWorld.ts';

interface Case {
  /** The way in which the program receives its key. */
  how: string;
  account: TestAccount;
  password: string | null;
  node: WorldNode;
  healthUrl: string;
  /** Files of the operator that intentionally contain a secret. */
  own: readonly string[];
}

let world: NodeWorld;
let posted: PostedAttestation[];
const cases: Case[] = [];
const secretsOf = (each: Case): Secret[] => [
  // Omits the first and last digit, because a key that leaks in part has leaked too.
  { name: `the key of the node with ${each.how}`, text: each.account.privateKey.slice(3, -1) },
  ...(each.password === null ? [] : [{ name: `the password of the node with ${each.how}`, text: each.password }]),
];
const allSecrets = (): Secret[] => cases.flatMap(secretsOf);

function run(node: WorldNode, words: readonly string[], input = ''): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(world.program, words, { cwd: node.folder, input, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  return { code: status, said: stdout + stderr };
}

async function addCase(how: string, password: string | null, keyInFile: boolean, prepare: (node: WorldNode, privateKey: Hex) => { own: string[]; start(): void }): Promise<void> {
  const privateKey: Hex = `0x${randomBytes(32).toString('hex')}`;
  const account = { privateKey, address: privateKeyToAddress(privateKey).toLowerCase() as Hex };
  const port = await freePort();
  const adapt = (file: NodeFile): NodeFile => ({ ...file, privateKey: keyInFile ? privateKey : null, more: ['node:', `  health_listen: "127.0.0.1:${port}"`] });
  const node = await world.addNode(account, adapt);
  const { own, start } = prepare(node, privateKey);
  cases.push({ how, account, password, node, healthUrl: `http://127.0.0.1:${port}`, own });
  start();
}

function makeKeystore(node: WorldNode, privateKey: Hex, password: string): void {
  writeFileSync(join(node.folder, 'password'), `${password}\n`, { mode: 0o600 });
  expect(run(node, ['keystore', 'import', '-keystore-path', 'node.json', '-password-file', 'password'], `${privateKey}\n`).code).toBe(0);
}

beforeAll(async () => {
  world = await openNodeWorld({ nodes: 0 });
  const newPassword = (): string => `Password ${randomBytes(12).toString('hex')}`;
  const [first, second] = [newPassword(), newPassword()];
  await addCase('a password file', first, false, (node, privateKey) => {
    makeKeystore(node, privateKey, first);
    return { own: ['password'], start: () => void node.start({ arguments: ['-conf', 'verifier.yaml', '-keystore-path', 'node.json', '-password-file', 'password'] }) };
  });
  await addCase('a password on standard input', second, false, (node, privateKey) => {
    // A keystore of a different program, which opens faster.
    writeLightKeystore(join(node.folder, 'node.json'), privateKey, second);
    return { own: [], start: () => void node.start({ arguments: ['-conf', 'verifier.yaml', '-keystore-path', 'node.json'], input: `${second}\n` }) };
  });
  await addCase('-private-key', null, false, (node, privateKey) => (
    { own: [], start: () => void node.start({ arguments: ['-conf', 'verifier.yaml', '-private-key', privateKey] }) }));
  await addCase('its key in the file', null, true, (node) => ({ own: ['verifier.yaml'], start: () => void node.start() }));
  for (const { account } of cases) await world.until('every node is active', async () => (await world.nodeInfo(account.address)).active);
  posted = await world.attest('good', 'forged');
  await world.voted(posted);
});
afterAll(() => world.close());

describe.runIf(process.platform === 'linux')('key and password of nodes at work', () => {
  it('are in no list of processes, no command line and no environment', () => {
    expect(findInProcesses(allSecrets())).toEqual([]);
  });
});

describe('key and password', () => {
  it('are not logged, by the node or by the gateway', async () => {
    for (const { node } of cases) expect(findInText('the log', node.log(), allSecrets())).toEqual([]);
    expect(findInText('the log of the gateway', await world.vouch!.log(), allSecrets())).toEqual([]);
  });

  it('are in no file but those in which the operator put them', () => {
    for (const { node, own } of cases) expect(findInFolder(node.folder, allSecrets(), own)).toEqual([]);
  });

  it('are neither in health nor in metrics', async () => {
    for (const { healthUrl } of cases) {
      // An alarm, such as one about a refusal by the gateway, stands until the node has looked at the chain again.
      await world.until('the node is healthy', async () => (await fetch(`${healthUrl}/health`)).status === 200);
      for (const path of ['/health', '/metrics', '/none']) {
        const answer = await fetch(healthUrl + path);
        expect(answer.status).toBe(path === '/none' ? 404 : 200);
        expect(findInText(path, await answer.text(), allSecrets())).toEqual([]);
      }
    }
  });

  exhaustiveTest('are not shown by commands, whether they end well or not', () => {
    const [, withKeystore, , inFile] = cases as [Case, Case, Case, Case];
    const said = [
      run(inFile.node, ['status', '-json']), run(inFile.node, ['doctor']), run(inFile.node, ['config', 'check']), run(inFile.node, ['explain', posted[0]!.id]),
      // Fails because another node runs in the folder.
      run(inFile.node, []),
      run(withKeystore.node, ['-conf', 'verifier.yaml', '-keystore-path', 'node.json', '-keystore-password', `${withKeystore.password} no`]),
      run(withKeystore.node, ['-conf', 'verifier.yaml', '-private-key', `${withKeystore.account.privateKey}0`]),
      run(withKeystore.node, ['-conf', withKeystore.account.privateKey]),
      run(withKeystore.node, [withKeystore.account.privateKey]),
      run(withKeystore.node, ['-conf', 'verifier.yaml', '-keystore-path', withKeystore.account.privateKey]),
    ];
    expect(said.map(({ code }) => code === 0 || code === 4).slice(4)).toEqual([false, false, false, false, false, false]);
    for (const { said: text } of said) expect(findInText('what a command said', text, allSecrets())).toEqual([]);
  });
});
