import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from '@vouch/chain/messages/operation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RpcGate } from '../testing/rpcGate.ts';
import { runVerifier, writeConfiguration, type Ended } from '../testing/runVerifier.ts';
import { kept, NodeWorld, reached, until } from '../testing/nodeWorld.ts';
import type { RunningNode } from '../node/startNode.ts';
import type { Status } from './status.ts';

/*
 * Follows one node from its first start to its exit. The commands status and explain run in the same process as the node, but share
 * only the node's folder and the chain with it.
 */
let world: NodeWorld;
let running: RunningNode;
let ids: readonly Hex[];
beforeAll(async () => { world = await NodeWorld.open({ operators: 1 }); });
afterAll(() => world.close());

const dead = '"http://127.0.0.1:9"';

function verifier(given: readonly string[], changes: Record<string, string | null> = {}, stop?: AbortSignal): Promise<Ended> {
  const [account] = world.chain.operators;
  const conf = writeConfiguration(world.folder, {
    'chain.rpc_url': JSON.stringify(world.chain.url), 'contract.addr': JSON.stringify(world.chain.contracts.service), 'wallet.mode': '1',
    'wallet.private_key': JSON.stringify(account!.privateKey), 'gasless_service.url': JSON.stringify(world.gateway.url), 'node.data_path': JSON.stringify(join(world.folder, 'data')),
    'attestation.collateral_path': JSON.stringify(world.pki.collateralFolder), 'attestation.trust_root': world.pki.trustRoot.fingerprint, ...changes,
  });
  return runVerifier([...given, '-conf', conf], '', world.system, stop);
}

async function status(changes: Record<string, string | null> = {}): Promise<Status & { code: number }> {
  const { code, output, errors } = await verifier(['status', '-json'], changes);
  expect(errors).toBe('');
  return { ...(JSON.parse(output) as Status), code };
}

/** Waits until the node has saved a state that `holds` accepts. */
const saved = (holds: (found: Status) => boolean): Promise<void> => until(async () => holds(await status()));

describe('verifier status', () => {
  it('says that no node has run', async () => {
    expect(await status()).toMatchObject({ code: 4, earning: { verdict: 'no', because: expect.stringContaining('No node has run with this key on this machine') as string }, counts: null, program: { process: null, saved_at: null } });
  });

  it('says of a node that has just entered how long it must stay to earn', async () => {
    running = await world.startActive(world.chain.operators[0]!);
    await saved(({ membership, program }) => membership?.active === true && program.block !== null);
    expect(await status()).toMatchObject({
      code: 0, earning: { verdict: 'not yet', because: expect.stringMatching(/needs (?:6 h|5 h \d+ min) more on day \d+/) as string },
      membership: { active: true, weight: 1, missed: 0, from: 'chain' }, today: { needed_seconds: 21_600, from: 'chain' }, last_chosen: null, missed: [], rewards: { earned: '0', claimed: '0', claimable: '0' }, chain_fault: null,
      program: { process: process.pid, stands_by: null },
    });
  });

  it('says what it was chosen for and reported', async () => {
    ids = (await world.attest('good', 'not a quote', 'forged')).attestationIds;
    for (const id of ids) await reached(running, id, 'reported');
    await saved(({ counts }) => counts?.reported === 3);
    const { counts, last_chosen: chosen, last_reported: reported } = await status();
    expect(counts).toMatchObject({ chosen: 3, reported: 3, missed: 0, notVoted: 0 });
    expect([chosen, reported]).toEqual([expect.stringMatching(/^20/), expect.stringMatching(/^20/)]);
  });

  it('says it from what the node kept where the chain does not answer', async () => {
    const { earning, membership, chain_fault: fault, rewards } = await status({ 'chain.rpc_url': dead });
    expect(earning.verdict).toBe('not yet');
    expect(membership).toMatchObject({ active: true, weight: 1, from: 'state' });
    expect([fault, rewards]).toEqual([expect.stringContaining('127.0.0.1:9 refuses connections'), null]);
    const { output } = await verifier(['status'], { 'chain.rpc_url': dead });
    expect(output).toMatch(/^Earning {9}not yet\. .*\nNode {12}0x.*\nActive {10}yes, weight 1, missed reports: 0 \(as of 20/);
    expect(output).toContain('Chain           not reachable; these values are from the state of the node.');
  });

  it('reads the chain again where a machine behind the address does not have the newest block', async () => {
    const gate = await RpcGate.start(world.chain.url);
    gate.unknownBlocks = 3;
    expect(await status({ 'chain.rpc_url': JSON.stringify(gate.url) })).toMatchObject({ membership: { from: 'chain' }, chain_fault: null });
    expect(gate.unknownBlocks).toBe(0);
    await gate.stop();
  });

  it('says that a running node does not enter again after verifier exit', async () => {
    world.gateway.intervene = ({ path }, response) => {
      if (path.endsWith('report_verification')) response.writeHead(503).end();
      return path.endsWith('report_verification');
    };
    const [due] = (await world.attest('good')).attestationIds;
    await until(() => kept(running, due!)?.lastError != null);
    await saved(({ counts }) => counts?.chosen === 4);
    const stop = new AbortController();
    const { intervene } = world.gateway;
    world.gateway.intervene = (request, response) => {
      if (intervene!(request, response)) return true;
      stop.abort();
      response.writeHead(503).end();
      return true;
    };
    const stopped = await verifier(['exit'], {}, stop.signal);
    expect([stopped.code, stopped.errors]).toEqual([130, expect.stringContaining('Stopped. The exit may have been submitted, and then the node still leaves') as string]);
    world.gateway.intervene = intervene;
    const { code: left, errors } = await verifier(['exit'], {}, new AbortController().signal);
    expect([left, errors]).toEqual([0, expect.stringMatching(/One report of this node is not on the chain yet, and is due until 20\S+ also after the node has left: let the program run until then\./) as string]);
    world.gateway.intervene = null;
    await reached(running, due!, 'reported');
    await until(() => running.state()?.membership.active === false);
    const { code, earning } = await status();
    expect([code, earning]).toEqual([4, { verdict: 'no', because: expect.stringContaining('the running program does not enter again: restart verifier') as string }]);
    await running.stop();
    running = await world.startActive(world.chain.operators[0]!);
    await saved(({ membership }) => membership?.active === true);
  });

  it('knows the node without its key, where there is one alone', async () => {
    const keyless = { 'wallet.mode': '0', 'wallet.private_key': null };
    expect((await status(keyless)).node.toLowerCase()).toBe(running.node);
    const other = join(world.folder, 'data', `${world.chain.chainId}-${world.chain.contracts.service}-0x${'12'.repeat(20)}`);
    mkdirSync(other);
    const { code, errors } = await verifier(['status'], keyless);
    expect([code, errors]).toEqual([2, expect.stringContaining('has the states of 2 nodes')]);
    rmSync(other, { recursive: true });
    expect(await verifier(['status'], { ...keyless, 'node.data_path': 'nowhere' })).toMatchObject({ code: 2, errors: expect.stringContaining('wallet.mode is 0') as string });
  });
});

describe('verifier explain', () => {
  const explained = async (given: readonly string[], changes: Record<string, string | null> = {}): Promise<Ended> => verifier(['explain', ...given], changes);
  const bundle = (): string => join(world.folder, 'vote.json');

  it('shows what the node did and each step with its values', async () => {
    for (const [at, [verdict, words]] of [['valid (result 0)', 'ok   The attestation key signed the quote'], ['invalid (result 1)', 'FAIL The data is an SGX quote'], ['malicious (result 2)', 'FAIL The attestation key signed the quote']].entries()) {
      const { code, output, errors } = await explained([ids[at]!]);
      expect([code, errors]).toEqual([0, '']);
      for (const part of [verdict!, words!, ids[at]!, 'on the chain, seen at', 'after 1 attempt', 'Judged by the inputs that the node used: the node reached the same verdict.', "not Intel's"]) expect(output).toContain(part);
    }
    expect((await explained([ids[0]!.slice(2).toUpperCase()])).code).toBe(0);
  });

  it('comes to the same after the collateral was renewed, or lost, and without the chain', async () => {
    await world.pki.renewCollateral(new Date(Date.now() + 40 * 86_400_000));
    const elsewhere: Record<string, string | null>[] = [{}, { 'attestation.collateral_path': 'nowhere' }, { 'chain.rpc_url': dead, 'attestation.tcb_policy': 'strict' }];
    for (const changes of elsewhere) {
      const { code, output } = await explained([ids[0]!, '-json'], changes);
      expect([code, JSON.parse(output)]).toEqual([0, expect.objectContaining({ agrees: true, judged_by: 'then', outcome: expect.objectContaining({ result: 0 }) as object })]);
    }
    await world.pki.renewCollateral(new Date());
  });

  it.each([0, 1, 2])('writes a file that comes to the same vote elsewhere: %i', async (result) => {
    rmSync(bundle(), { force: true });
    expect(await explained([ids[result]!, '-bundle', bundle()])).toMatchObject({ code: 0, errors: expect.stringContaining(`verifier explain ${bundle()}`) as string });
    // Explains the bundle without configuration, key, state or chain.
    const elsewhere = await runVerifier(['explain', bundle(), '-json']);
    expect([elsewhere.code, JSON.parse(elsewhere.output)]).toEqual([0, expect.objectContaining({ agrees: true, intels_root: false, outcome: expect.objectContaining({ result, attestationId: ids[result] }) as object })]);
    expect((await runVerifier(['explain', bundle()])).output).toContain('The verdict in this file is the same.');
    expect((await explained([ids[result]!, '-bundle', bundle()])).errors).toContain('name a file that does not exist yet');
  });

  it('does not believe a file that claims another vote', async () => {
    const text = readFileSync(bundle(), 'utf8').replace('"kind": "malicious"', '"kind": "valid"').replace('"reason": "quote-forged"', '"reason": "verified"');
    const path = join(world.folder, 'claims.json');
    writeFileSync(path, text);
    expect(await runVerifier(['explain', path])).toMatchObject({ code: 4, output: expect.stringContaining('The verdict in this file differs: valid [verified].') as string });
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), outcome: { kind: '\u001b[2Jvalid\nThe verdict in this file is the same.', result: 0, reason: 'verified', sentence: '' } }));
    expect((await runVerifier(['explain', path])).output).toMatch(/^The verdict in this file differs: \\u\{1b\}\[2Jvalid\\u\{a\}The verdict in this file is the same\. \[verified\]\.$/m);
  });

  it('says in a sentence what it cannot explain', async () => {
    const unknown = `0x${'12'.repeat(32)}`;
    expect((await explained([unknown])).errors).toContain('has no record of this attestation; a node keeps open attestations');
    const broken = join(world.folder, 'broken.json');
    writeFileSync(broken, '<html>');
    for (const [given, words] of [[['nowhere.json'], 'the argument is neither an attestation id'], [[broken], 'The bundle is not JSON.'], [[], '<attestation> is missing'], [[broken, '-bundle', 'x'], 'the argument is already a file']] as const) {
      const { code, errors, output } = await runVerifier(['explain', ...given]);
      expect([code, output]).toEqual([2, '']);
      expect(errors).toContain(words);
    }
    expect(existsSync('x')).toBe(false);
  });
});

describe('verifier status of a node in trouble', () => {
  it('says which reports were missed, and why', async () => {
    world.gateway.intervene = (_received, response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"the relayer has no ether\\u001b[2J"}');
      return true;
    };
    const [refused] = (await world.attest('good')).attestationIds;
    await until(() => world.gateway.reports().some(({ body }) => refused?.includes(String(body['attestation_id'])) === true));
    await until(() => running.state()?.attestations.some(({ attestationId, lastError }) => attestationId === refused && lastError !== null) === true);
    await world.moveOn(1_801);
    await reached(running, refused!, 'missed');
    await saved(({ counts }) => counts?.missed === 1);
    const { missed } = await status();
    expect(missed).toEqual([{ attestation_id: refused, deadline: expect.stringMatching(/^20/) as string, why: expect.stringContaining('the relayer has no ether') as string }]);
    const { output } = await verifier(['status']);
    expect(output).toMatch(new RegExp(`\nMissed {10}${refused}, until .*the relayer has no ether`));
    expect(output).not.toContain('\u001b');
    world.gateway.intervene = null;
  });

  it('says that the program was stopped', async () => {
    await running.stop();
    expect(await status()).toMatchObject({ code: 4, earning: { verdict: 'no', because: expect.stringContaining('The program is not running') as string }, program: { process: null } });
  });

  it('says that what the node kept cannot be read', async () => {
    writeFileSync(join(running.folder, 'state.json'), '{"version":1');
    const { code, output, errors } = await verifier(['status']);
    expect([code, output]).toEqual([4, expect.stringMatching(/^Earning {9}no\. /)]);
    expect(errors).toContain('state.json cannot be used: it is not JSON.');
  });
});
