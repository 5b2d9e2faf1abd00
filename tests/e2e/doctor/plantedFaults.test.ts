import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { settingsAbi } from '@vouch/chain/contracts/abi/settings';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { defaultRules } from '@vouch/chain/contracts/rules';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { signOperation } from '@vouch/chain/messages/sign';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { sampleOf } from '@vouch/platform/testing/exhaustive';
import { encodeFunctionData, parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { causes } from '../../../packages/verifier/doctor/findings.ts';
import { loadConfiguration } from '../../../packages/verifier/config/loadConfiguration.ts';
import { examine } from '../../../packages/verifier/doctor/examine.ts';
import { SecretInput } from '../../../packages/verifier/keys/secretInput.ts';
import { lockFolder } from '../../../packages/verifier/state/lockFolder.ts';
import { writeConfiguration } from '../../../packages/verifier/testing/runVerifier.ts';
import { Clinic, newcomer, stranger, type Plant } from './clinic.ts';
import { keptState } from './keptState.ts';

let clinic: Clinic;
let snapshot: unknown;
beforeAll(async () => {
  clinic = await Clinic.open();
  await clinic.license(1, newcomer);
  snapshot = await clinic.gateway.chain.rpc.request('evm_snapshot');
});
afterAll(() => clinic.close());

const dead = 'http://127.0.0.1:9';
const quoted = JSON.stringify;
const file = (changes: Record<string, string | null>) => (): Plant => ({ file: changes });
const chain = () => clinic.gateway.chain;
const urls = (...others: string[]): Plant => ({ file: { 'chain.rpc_url': quoted([chain().url, ...others]) } });
const collateral = (change: (folder: string) => unknown, ageDays = 0) => () => clinic.collateral(change, ageDays);
const remove = (...names: string[]) => (folder: string): void => names.forEach((name) => rmSync(join(folder, name)));
const state = (change: Parameters<typeof keptState>[1], node: Parameters<typeof keptState>[2] = 'runs') => async (): Promise<Plant> => {
  const end = await keptState(clinic, change, node);
  return { heal: async () => { await end(); rmSync(clinic.stateFolder(), { recursive: true }); } };
};

/** Lets the newcomer enter in the first minute of the next day. */
async function enterAtMidnight(): Promise<void> {
  const now = await clinic.gateway.now();
  await chain().increaseTime(86_400 - (now % 86_400) + 1);
  // The deployer sends the transaction: when a revert of the chain undoes it, the nonces of the gateway's key are not affected.
  const { rpc, domain, deployer, contracts: { service } } = chain();
  const operation = { kind: 'enter', replacedNode: `0x${'0'.repeat(40)}`, expiredAt: BigInt((await clinic.gateway.now()) + 3_600) } as const;
  const { v, r, s } = await signOperation(operation, domain, newcomer.privateKey);
  const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeEnterWithSignature', args: [operation.replacedNode, operation.expiredAt, newcomer.address, v, r, s] });
  await sendTransactions(rpc, [{ to: service, data, gas: 500_000n }], { key: deployer.privateKey });
}

/** Causes planted on the chain, at the gateway, on the machine or in the node's files, with the code that doctor must report. */
const faults: [string, keyof typeof causes, () => Plant | Promise<Plant>][] = [
  ['a key that must be there is missing', 'configuration-wrong', file({ 'chain.rpc_url': null })],
  ['a value is out of its range', 'configuration-wrong', file({ 'signature.expired_time': '5' })],
  ['a key is misspelt', 'configuration-doubtful', file({ 'chain.query_tickr': '5' })],
  ['another event is to be looked for', 'configuration-doubtful', file({ 'contract.topic3': quoted(`0x${'12'.repeat(32)}`) })],
  ['nothing gives a key', 'key-missing', () => ({ file: { 'wallet.mode': '0', 'wallet.keystore_path': null }, flags: [] })],
  ['the keystore is not there', 'key-unusable', file({ 'wallet.keystore_path': 'nowhere.json' })],
  ['the keystore is cut off', 'key-unusable', () => ({ file: { 'wallet.keystore_path': quoted(clinic.write('cut.json', '{"version":3,"cry')) } })],
  ['the password is another one', 'key-unusable', () => ({ flags: ['-password-file', clinic.write('other-password', 'not this one\n')] })],
  ['others may read the keystore', 'key-readable', () => readable('node.json')],
  ['others may read the password', 'key-readable', () => readable('password')],
  ['the key has sent a transaction', 'key-used', async () => {
    await chain().setBalance(clinic.node.address, parseEther('1'));
    await sendTransactions(chain().rpc, [{ to: stranger.address, data: '0x', gas: 21_000n }], { key: clinic.node.privateKey });
    await chain().setBalance(clinic.node.address, 0n);
    return {};
  }],
  ['the key holds a fortune', 'key-rich', async () => {
    await chain().setBalance(clinic.node.address, parseEther('2'));
    return {};
  }],
  ['the node is to pay itself and has nothing', 'gas-missing', file({ 'chain.enable_gas_mode': 'true', 'gasless_service.url': null })],
  ['a file stands where the state is to be kept', 'state-unwritable', () => ({ file: { 'node.data_path': quoted(clinic.write('in-the-way', '')) } })],
  ['the state is cut off', 'state-damaged', async () => {
    writeFileSync(join(clinic.stateFolder(), 'state.json'), '{"version":1,"chai');
    return { heal: () => rmSync(clinic.stateFolder(), { recursive: true }) };
  }],
  ['the state is that of a chain before', 'state-foreign', state({ genesis: `0x${'12'.repeat(32)}` })],
  ['another program has the same key', 'second-copy', state({ standby: { since: 1_700_000_000_000, because: 'a report appeared that it did not send' } })],
  ['a random word does not come', 'randomness-late', state({ alarms: [{ code: 'randomness-late', subject: '7', sentence: 'No nodes are chosen for an attestation.', since: 1_700_000_000_000 }] })],
  ['the node was stopped', 'not-running', state({}, 'stopped')],
  ['the node was killed', 'not-running', state({}, 'killed')],
  ['the node hangs', 'node-hangs', state({ savedAt: 1_700_000_000_000 })],
  ['the node runs and has never saved its state, for example because the disk is full', 'node-hangs', async () => {
    mkdirSync(clinic.stateFolder(), { recursive: true });
    const release = await lockFolder(clinic.stateFolder());
    return { heal: async () => release().then(() => rmSync(clinic.stateFolder(), { recursive: true })) };
  }],
  ['the node runs with a state of an earlier release below the working folder', 'state-elsewhere', async () => {
    const end = await keptState(clinic, {}, 'runs');
    const [began, elsewhere] = [process.cwd(), join(clinic.folder, 'elsewhere')];
    mkdirSync(join(elsewhere, 'data'), { recursive: true });
    renameSync(clinic.stateFolder(), join(elsewhere, 'data', basename(clinic.stateFolder())));
    rmSync(clinic.stateFolder(), { recursive: true });
    process.chdir(elsewhere);
    return {
      file: { 'node.data_path': '"data"' },
      heal: async () => {
        process.chdir(began);
        await end();
        rmSync(elsewhere, { recursive: true });
      },
    };
  }],
  ['no RPC listens', 'rpc-unreachable', file({ 'chain.rpc_url': quoted([dead, 'http://127.0.0.1:10']) })],
  ['a web page answers for the RPC', 'rpc-unreachable', async () => ({ file: { 'chain.rpc_url': quoted(await clinic.webPage()) } })],
  ['one of two RPCs does not listen', 'rpc-spare-unreachable', () => urls(dead)],
  ['one of two RPCs serves another chain', 'rpc-other-chain', async () => urls(await clinic.otherChain(5))],
  ['one of two RPCs does not follow', 'rpc-behind', async () => urls(await clinic.otherChain())],
  ['the RPC serves another chain', 'chain-id-wrong', async () => ({ file: { 'chain.rpc_url': quoted(await clinic.otherChain(5)) } })],
  ['the newest block is an hour old', 'chain-stands-still', async () => {
    // Sets the chain's clock one hour before the gateway's clock. The gateway's clock shows that the machine's clock is right.
    await chain().rpc.request('evm_setTime', [Math.floor(Date.now() / 1_000) - 3_600]);
    await chain().mine();
    return { skewSeconds: 3_600 };
  }],
  ['the clock goes behind', 'clock-behind', () => ({ skewSeconds: -3_600 })],
  ['the clock goes ahead', 'clock-ahead', () => ({ skewSeconds: 3_600 })],
  ['there is no contract', 'contract-missing', file({ 'contract.addr': quoted(`0x${'12'.repeat(20)}`) })],
  ['the contract is that of the licenses', 'contract-foreign', () => ({ file: { 'contract.addr': quoted(chain().contracts.license) } })],
  ['nothing announces attestations there', 'emitter-missing', file({ 'contract.tee_addr': quoted(`0x${'12'.repeat(20)}`) })],
  ['messages are signed for another domain', 'domain-wrong', file({ 'signature.domain_version': '"2.0.0"' })],
  ['the gateway does not listen', 'gateway-unreachable', file({ 'gasless_service.url': quoted(dead) })],
  ['the gateway has no upstream', 'gateway-unreachable', async () => ({ file: { 'gasless_service.url': quoted(await clinic.webPage(502)) } })],
  ['a web page answers for the gateway', 'gateway-foreign', async () => ({ file: { 'gasless_service.url': quoted(await clinic.webPage()) } })],
  ['the gateway has no chain', 'gateway-not-ready', () => clinic.otherGateway({}, {})],
  ['the gateway has lost its chain', 'gateway-not-ready', () => clinic.otherGateway({ chain_rpc_url: [dead] })],
  ['the gateway is for another chain', 'gateway-other-chain', () => clinic.otherGateway({ chain_id: 42_161 })],
  ['the gateway is for another contract', 'gateway-other-contract', () => clinic.otherGateway({ contract_address: chain().contracts.license })],
  ['the gateway is for another domain', 'gateway-other-domain', () => clinic.otherGateway({ domain_version: '2.0.0' })],
  ['the gateway can pay for nothing', 'gateway-paused', pauseGateway],
  ['no license counts for the node', 'no-license', () => clinic.as(stranger)],
  ['the node has not entered', 'not-active', () => clinic.as(newcomer)],
  ['the active set is full of nodes as heavy', 'set-full', async () => {
    const data = encodeFunctionData({ abi: settingsAbi, functionName: 'setRules', args: [{ ...defaultRules, maxActiveNodes: 1 }] });
    await sendTransactions(chain().rpc, [{ to: chain().contracts.settings, data, gas: 500_000n }], { key: chain().deployer.privateKey });
    return clinic.as(newcomer);
  }],
  ['the rewards go to another', 'claimer-differs', file({ 'wallet.reward_claimer_addr': quoted(stranger.address) })],
  ['the commission is another', 'commission-differs', file({ 'wallet.commission_rate': '5' })],
  ['there is no folder of collateral', 'collateral-missing', file({ 'attestation.collateral_path': 'nowhere' })],
  ['the folder of collateral is empty', 'collateral-missing', collateral((folder) => ['pckCrl.pem', 'pckCrlIssuerChain.pem', 'qeIdentity.json', 'rootCrl.der', 'tcbInfo.json', 'tcbInfoIssuerChain.txt'].forEach((name) => rmSync(join(folder, name))))],
  ['a revocation list is missing', 'collateral-missing', collateral(remove('rootCrl.der'))],
  ['the identity of the quoting enclave is missing', 'collateral-missing', collateral(remove('qeIdentity.json'))],
  ['quotes are to lead to another root', 'collateral-missing', file({ 'attestation.trust_root': 'ab'.repeat(32) })],
  ['the collateral has expired', 'collateral-stale', collateral(() => undefined, 40)],
  ['the collateral expires tomorrow', 'collateral-ends-soon', collateral(() => undefined, 28)],
  ['the TCB info was changed', 'collateral-forged', collateral((folder) => changeText(join(folder, 'tcbInfo.json'), 'UpToDate', 'OutOfDate'))],
  ['something else lies among the collateral', 'collateral-unreadable', collateral((folder) => writeFileSync(join(folder, 'notes.txt'), 'fetch anew in March'))],
  ['nobody listens for alarms', 'alerts-unreachable', file({ 'alert.url': quoted(`${dead}/hook`) })],
  ['what is to get alarms has no upstream', 'alerts-unreachable', async () => ({ file: { 'alert.url': quoted(await clinic.webPage(502)) } })],
  // Comes last, because the clock of the chain cannot go back.
  ['the gateway does not follow the chain', 'gateway-behind', async () => {
    const stuck = await clinic.stuckEndpoint();
    await chain().increaseTime(300);
    return clinic.otherGateway({ chain_rpc_url: [stuck] });
  }],
  ['the node missed a report', 'reports-missed', missReport],
  // Default rules: a node must be online for six hours of a UTC day.
  ['nobody reports the day', 'day-late', async () => {
    await enterAtMidnight();
    await chain().increaseTime(16 * 3_600);
    return clinic.as(newcomer);
  }],
  ['nobody reported the day before', 'day-lost', async () => {
    await enterAtMidnight();
    await chain().increaseTime(24 * 3_600);
    return clinic.as(newcomer);
  }],
];

describe('verifier doctor', () => {
  it('finds nothing where all is well', async () => {
    const { code, healthy, findings } = await clinic.examine();
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect([code, healthy, new Set(findings.map(({ check }) => check)).size]).toEqual([0, true, 11]);
    expect((await clinic.examine({}, [])).output).toMatch(/^ok {6}configuration[^]*\nThe node is healthy\.\n$/);
  });

  it.each(sampleOf(faults, 20))('where %s, finds that and nothing else: %s', async (_what, cause, plant) => {
    const planted = await plant();
    try {
      const { code, healthy, findings, errors } = await clinic.examine(planted);
      expect(findings.filter(({ status }) => status !== 'ok')).toEqual([{
        check: expect.any(String) as string, status: causes[cause], code: cause, detail: expect.stringMatching(/\S/) as string, remedy: expect.stringMatching(/\S.*\.$/) as string,
      }]);
      expect([code, healthy, errors]).toEqual([causes[cause] === 'fault' ? 4 : 0, false, '']);
    } finally {
      await setBack();
      await planted.heal?.();
    }
  });

  it('where the disk has not the room, finds that and nothing else', async () => {
    const loaded = loadConfiguration({ '-conf': writeConfiguration(clinic.folder, clinic.healthyFile()), '-password-file': join(clinic.folder, 'password') });
    const system = { ...systemInterfaces, clock: { now: () => now * 1_000 } };
    const now = await clinic.gateway.now();
    const findings = await examine({ loaded, secrets: new SecretInput(new PassThrough(), { write: () => true }), system, diskBytesNeeded: 1e18 });
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([expect.objectContaining({ code: 'disk-low', remedy: expect.any(String) as string })]);
  });

  it.each<[string, () => Plant | Promise<Plant>]>([
    ['whose password would be asked for', () => ({ flags: [] })],
    ['that pays for itself and can', async () => {
      await chain().setBalance(clinic.node.address, parseEther('0.5'));
      return { file: { 'chain.enable_gas_mode': 'true', 'gasless_service.url': null } };
    }],
    ['whose alarms are waited for', async () => ({ file: { 'alert.url': quoted(await clinic.webPage(405)) }, heal: () => expect(clinic.asked.pop()).toBe('HEAD') })],
    ['with two endpoints', () => urls(`${chain().url}/?again`)],
    ['behind a gateway that tells nothing of itself', async () => {
      const { url } = await clinic.silentGateway();
      return { file: { 'gasless_service.url': quoted(url) } };
    }],
  ])('finds nothing about a node %s', async (_what, plant) => {
    const planted = await plant();
    const { findings, code } = await clinic.examine(planted);
    await planted.heal?.();
    await setBack();
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(code).toBe(0);
  });

  it('finds nothing where a node has run and runs', async () => {
    const { heal } = await state({})();
    expect((await clinic.examine()).findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    await heal?.();
  });

  it('is tried with every cause that it knows', () => {
    const planted = new Set<string>([...faults.map(([, cause]) => cause), 'disk-low']);
    // `check-failed` is the only cause not planted, because it reports an error in doctor itself.
    expect(Object.keys(causes).filter((cause) => !planted.has(cause))).toEqual(['check-failed']);
  });

  it('tells several causes at once, in words with their mends', async () => {
    const { output, code } = await clinic.examine({ file: { 'signature.domain_version': '"2.0.0"', 'attestation.collateral_path': 'nowhere', 'chain.query_tickr': '5' } }, []);
    expect(code).toBe(4);
    expect(output).toMatch(/warning configuration .*did you mean chain\.query_ticker\?\n +→ .*\[configuration-doubtful\]\n/);
    expect(output).toMatch(/FAULT {3}contract .*\n +→ .*\[domain-wrong\]\n[^]*FAULT {3}collateral .*\n +→ .*\[collateral-missing\]\nok {6}alerts .*\nFound 2 faults and 1 warning\.\n$/);
  });

  it('lets nothing that an endpoint says steer the terminal', async () => {
    const { output } = await clinic.examine({ file: { 'chain.rpc_url': quoted(await clinic.webPage(200, '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"\\u001b[2J\\u202eall is well"}}')) } }, []);
    expect(output).toContain('all is well');
    expect(output).toMatch(/^[\x20-\x7e\n→’“”…]*$/);
  });

  it('shows neither key nor password, nor what may be a secret of an address', async () => {
    const { output, errors } = await clinic.examine({ file: { 'chain.rpc_url': quoted(`http://user:very-secret-user@127.0.0.1:9/v3/very-secret-path`), 'wallet.keystore_path': 'nowhere.json' } });
    expect(output + errors).not.toMatch(/very-secret|correct horse/);
    expect((await clinic.examine(clinic.as(newcomer), [])).output).not.toContain(newcomer.privateKey.slice(2));
  });
});

/**
 * Reverts the chain and waits until the gateway sends again, so that the next case is not affected. Mines an additional block,
 * because the gateway otherwise suspects an outdated head and accepts the reverted chain only after some seconds.
 */
async function setBack(): Promise<void> {
  expect(await chain().rpc.request('evm_revert', [snapshot])).toBe(true);
  snapshot = await chain().rpc.request('evm_snapshot');
  await chain().mine();
  await clinic.untilGateway('running');
}

function readable(name: string): Plant {
  const path = join(clinic.folder, name);
  chmodSync(path, 0o644);
  return { heal: () => chmodSync(path, 0o600) };
}

function changeText(path: string, from: string, to: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

/** Removes the gateway's funds and waits until the gateway pauses. */
async function pauseGateway(): Promise<Plant> {
  await chain().setBalance(chain().relayer.address, 0n);
  await clinic.untilGateway('paused');
  return {};
}

/** Makes the node miss a report: the node is chosen, sends nothing until the deadline, and somebody reports the miss. */
async function missReport(): Promise<Plant> {
  const { attestationIds } = await clinic.gateway.attest('an attestation that nobody looks at');
  await chain().increaseTime(defaultRules.reportWindow + 1);
  const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeSlash', args: [clinic.node.address, attestationIds[0]!, 0] });
  await sendTransactions(chain().rpc, [{ to: chain().contracts.service, data, gas: 500_000n }], { key: chain().deployer.privateKey });
  return {};
}
