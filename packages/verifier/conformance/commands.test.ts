import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { describe, expect, it } from 'vitest';
import { intelTrustRoot } from '../attestation/certificates/trustRoot.ts';
import { readCollateralFolder } from '../attestation/collateral/readCollateralFolder.ts';
import { attestationIdOf } from '../attestation/decodeInfo.ts';
import { defaultPolicy } from '../attestation/policy/policy.ts';
import { CollateralService } from '../testing/collateralService.ts';
import { commands } from '../commands/commands.ts';
import { flags } from '../commands/flags.ts';
import { runVerifier, sharedFolder, writeConfiguration, type Ended } from '../testing/runVerifier.ts';
import { VerificationInputsStore } from '../state/verificationInputsStore.ts';
import { InfoFiles } from '../state/infoFiles.ts';
import { stateFolder, type NodeState } from '../state/nodeState.ts';
import { writeNodeState } from '../state/writeNodeState.ts';

/*
 * Commands and flags that the specification does not require, each run without a chain. Their behaviour with a chain is tested in
 * status/status.integration.test.ts and tests/e2e/doctor.
 */
const folder = sharedFolder();
const service = `0x${'a9'.repeat(20)}` as const;
const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const node = '0x2c7536e3605d9c16a7a3d7b1898e529396a65c23';
const fixture = (path: string): string => fileURLToPath(new URL(`../attestation/fixtures/intelQuote/${path}`, import.meta.url));
const issued = new Date('2025-06-19T10:56:11Z');
const info = readFileSync(fixture('info.txt'), 'utf8').trim();
const id = attestationIdOf(info);
const hash = `0x${'12'.repeat(32)}` as const;

const file = { 'chain.rpc_url': '"http://127.0.0.1:9"', 'gasless_service.url': '"http://127.0.0.1:9"', 'contract.addr': `"${service}"`, 'node.data_path': JSON.stringify(join(folder, 'data')), 'attestation.collateral_path': JSON.stringify(fixture('collateral')) };
/** Runs the program at the date at which the collateral was issued. */
const run = (given: readonly string[], changes: Record<string, string> = {}, date = issued): Promise<Ended> =>
  runVerifier([...given, '-conf', writeConfiguration(folder, { ...file, ...changes })], '', { ...systemInterfaces, clock: { now: () => date.getTime() } }, new AbortController().signal);

/** Writes the state of a node that verified the quote of a real processor and reported its vote. */
async function keepState(): Promise<void> {
  const path = stateFolder(join(folder, 'data'), 31_337, service, node);
  mkdirSync(path, { recursive: true });
  const infos = new InfoFiles(path);
  await infos.open();
  await infos.write(id, info);
  const basis = await new VerificationInputsStore(path).keep({ collateral: await readCollateralFolder(fixture('collateral')), policy: defaultPolicy, trustRoot: intelTrustRoot });
  const at = issued.getTime();
  const state: NodeState = {
    version: 1, chainId: 31_337, chainName: 'chain-31337', service, node, genesis: hash, checkpoints: [{ block: 7, hash }], startedAt: at, savedAt: at, chainSeenAt: at,
    attestations: [{
      attestationId: id, requestId: '1', block: 6, transactionHash: hash, chosenIndex: 3, chosenBlock: 7, chosenAt: at, deadline: at / 1_000 + 1_800, halfTime: at / 1_000 + 900, verdict: 0, reason: 'verified',
      sentence: '', judgedAt: at, basis, state: 'reported', attempts: 1, sentAt: at, reportedAt: at, sentHash: null, lastError: null,
    }],
    membership: { id: 1, active: true, readAt: at, activeSince: at, weight: 1, claimer: null, commissionRate: 0, missed: 0 }, day: null, countedDay: null, online: [], lastChosenAt: at, lastReportedAt: at,
    counts: { announced: 1, chosen: 1, reported: 1, missed: 0, notVoted: 0, daysCredited: 0, daysLost: 0 }, transactions: [], standby: null, alarms: [],
  };
  await writeNodeState(path, state);
}

describe('commands', () => {
  it('status: whether the node earns, from what it kept; -json', async () => {
    await keepState();
    const { code, output } = await run(['status', '-json', '-private-key', key]);
    expect([code, JSON.parse(output)]).toEqual([4, expect.objectContaining({ earning: expect.objectContaining({ verdict: 'no' }) as object, last_reported: issued.toISOString(), chain_fault: expect.stringContaining('127.0.0.1:9') as string })]);
  });

  it('doctor: each cause with its mend; -json', async () => {
    const { code, output } = await run(['doctor', '-json', '-private-key', key]);
    const { healthy, findings } = JSON.parse(output) as { healthy: boolean; findings: { code?: string; remedy?: string }[] };
    expect([code, healthy, findings.flatMap((finding) => finding.code ?? [])]).toEqual([4, false, ['not-running', 'rpc-unreachable', 'gateway-unreachable']]);
    expect((await run(['doctor', '-private-key', key])).output).toMatch(/^FAULT {3}RPC {12}127\.0\.0\.1:9 refuses connections\n {23}→ .* \[rpc-unreachable\]$/m);
  });

  it('explain <attestation>: by its id, of a real processor; -bundle <path>; explain <file>', async () => {
    const path = join(folder, 'vote.json');
    const { code, output } = await run(['explain', id, '-bundle', path, '-private-key', key], { 'attestation.collateral_path': 'nowhere' }, new Date('2030-01-01T00:00:00Z'));
    expect([code, output]).toEqual([0, expect.stringContaining('valid (result 0)')]);
    expect(output).toContain('index 3');
    const again = await runVerifier(['explain', path, '-json']);
    expect([again.code, JSON.parse(again.output)]).toEqual([0, expect.objectContaining({ agrees: true, intels_root: true, outcome: expect.objectContaining({ result: 0, attestationId: id }) as object })]);
  });

  it('collateral check: what is there, and until when; 4 where votes are not possible; -json', async () => {
    expect(await run(['collateral', 'check'])).toMatchObject({ code: 0, output: expect.stringMatching(/^STATE .*LEFT\nok [^]*2025-06-19T10:56:11Z  2025-07-19T10:56:11Z  30 d\nComplete until 2025-07-19T10:01:18\.000Z\. Platforms: 00a067110000\.\n$/) as string });
    const late = await run(['collateral', 'check', '-json'], {}, new Date('2025-08-01T00:00:00Z'));
    expect([late.code, JSON.parse(late.output)]).toEqual([4, expect.objectContaining({ complete: false, folder: fixture('collateral') })]);
    expect((await run(['collateral', 'check'], {}, new Date('2025-07-18T00:00:00Z'))).output).toContain(': renew it before then');
    expect(await run(['collateral', 'check'], { 'attestation.collateral_path': 'nowhere' })).toMatchObject({ code: 4, output: expect.stringContaining('create the folder, then run verifier collateral update') as string });
  });

  it('collateral update: what the quotes of the nodes need, from -url; -fmspc names further platforms; -json', async () => {
    const served = await CollateralService.start();
    const real = (name: string): Buffer => readFileSync(fixture(`collateral/${name}`));
    served.serve({
      rootCrl: real('rootCrl.der'), pckCrl: real('pckCrl.der'), pckCrlChain: real('pckCrlIssuerChain.pem').toString(), tcbInfo: real('tcbInfo.json'), tcbInfoChain: real('tcbInfoIssuerChain.pem').toString(),
      qeIdentity: real('qeIdentity.json'), qeIdentityChain: real('qeIdentityIssuerChain.pem').toString(), fmspc: '00a067110000', ca: 'processor',
    });
    try {
      await keepState();
      const fetched = { 'attestation.collateral_path': JSON.stringify(join(folder, 'fetched')) };
      const { code, output } = await run(['collateral', 'update', '-url', served.url], fetched);
      expect([code, output]).toEqual([0, expect.stringMatching(/^STATE [^]*not offered[^]*\nupdated  +TCB info of 00a067110000  +2025-[^]*Complete until 2025-07-19T10:01:18\.000Z\. Platforms: 00a067110000\.\n$/)]);
      expect((await run(['status', '-private-key', key], fetched)).output).toMatch(/^Collateral +complete until 2025-07-19T10:01:18\.000Z, 29 d 23 h left$/m);
      const again = await run(['collateral', 'update', '-json', '-fmspc', '00906ed50000'], { ...fetched, 'attestation.collateral_url': JSON.stringify(`${served.url}/sgx/certification/v4/`) });
      expect([again.code, JSON.parse(again.output)]).toEqual([1, expect.objectContaining({ complete: true, parts: expect.arrayContaining([expect.objectContaining({ file: 'tcbInfo-00906ed50000.json', state: 'failed', sentence: expect.stringContaining('HTTP 404') as string })]) as object })]);
      expect(await run(['collateral', 'update', '-fmspc', 'all'], fetched)).toMatchObject({ code: 2, errors: expect.stringContaining('-fmspc: "all" is not an FMSPC') as string });
      expect(await run(['collateral', 'update', '-url', 'pccs'], fetched)).toMatchObject({ code: 2, errors: expect.stringContaining('-url') as string });
      const gone = await run(['collateral', 'update', '-url', 'http://127.0.0.1:9'], fetched);
      expect([gone.code, gone.output]).toEqual([1, expect.stringContaining('refuses connections')]);
      expect(readdirSync(join(folder, 'fetched')).length).toBeGreaterThan(5);
    } finally {
      await served.stop();
    }
  });

  it('rewards: by what the flags say, without configuration or chain; -json', async () => {
    const given = ['-licenses', '3', '-all-licenses', '7', '-daily-reward', '1000', '-commission-rate', '10', '-days', '2'];
    const { code, output } = await runVerifier(['rewards', ...given]);
    expect([code, output]).toEqual([0, expect.stringContaining('A day           42.857142857142857144 for the node, 385.714285714285714284 for its licenses (128.571428571428571428 each)') as string]);
    expect(output).toMatch(/^Formula +share = reward × licenses/m);
    expect(JSON.parse((await runVerifier(['rewards', ...given, '-json'])).output)).toMatchObject({ licenses: 3, all_licenses: 7, commission_percent: 10, days: 2, all_days: { per_license: '257.142857142857142856' } });
    expect(await runVerifier(['rewards', '-licenses', '8', ...given.slice(2)])).toMatchObject({ code: 2, errors: expect.stringContaining('7 licenses of all nodes are fewer than the 8 of this node') as string });
    expect(await runVerifier(['rewards', '-days', 'all'])).toMatchObject({ code: 2, errors: expect.stringContaining('-days: "all" is not a whole number') as string });
  });

  it('exit: needs the key', async () => {
    expect(await run(['exit'])).toMatchObject({ code: 2, errors: expect.stringContaining('wallet.mode is 0') as string });
  });

  it('config check, keystore inspect, version: with -json', async () => {
    expect(JSON.parse((await run(['config', 'check', '-json'])).output)).toHaveProperty('values');
    expect(JSON.parse((await runVerifier(['version', '-json'])).output)).toHaveProperty('version');
    const keystore = join(folder, 'node.json');
    writeFileSync(join(folder, 'password'), 'long enough\n', { mode: 0o600 });
    const { keystores } = JSON.parse(readFileSync(new URL('../../chain/keystore/fixtures/keystores.json', import.meta.url), 'utf8')) as { keystores: { name: string; password: string; keystore: object }[] };
    const light = keystores.find(({ name }) => name === 'scrypt light')!;
    writeFileSync(keystore, JSON.stringify(light.keystore), { mode: 0o600 });
    expect(JSON.parse((await runVerifier(['keystore', 'inspect', '-keystore-path', keystore, '-json'])).output)).toMatchObject({ address: expect.stringMatching(/^0x/) as string });
  });

  it('each says what it does and which flags it takes, and refuses others', async () => {
    for (const command of commands.filter(({ name }) => name !== '')) {
      const words = command.name.split(' ');
      const { code, output } = await runVerifier([...words, '-h']);
      expect([code, output]).toEqual([0, expect.stringContaining(command.summary)]);
      for (const { name } of flags.filter(({ name: flag }) => flag !== '-h')) expect(output.includes(`  ${name}`), `${command.name} ${name}`).toBe(command.flags.includes(name));
      const foreign = flags.find(({ name }) => name !== '-h' && !command.flags.includes(name))!;
      const argument = command.argument === undefined ? [] : ['x'];
      expect(await runVerifier([...words, ...argument, foreign.name, ...(foreign.value === null ? [] : ['x'])])).toMatchObject({ code: 2, errors: expect.stringContaining(`verifier ${command.name} does not have this flag`) as string });
    }
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  it('there are no others', () => {
    expect(commands.map(({ name }) => name).toSorted()).toEqual(['', 'collateral check', 'collateral update', 'config check', 'doctor', 'exit', 'explain', 'keystore import', 'keystore inspect', 'keystore new', 'rewards', 'status', 'version']);
  });
});
