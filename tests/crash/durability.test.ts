import { spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import { vouchProgram } from '../../bench/harness/serveVouch.ts';
import { expectStatus, type Answer } from '../../bench/harness/vouchClient.ts';
import { signMessage } from '../../packages/gateway/conformance/signMessage.ts';
import { interactionRows } from '../scale/largeFiles.ts';
import { clientOf, makePlace, removePlace, urlOf, waitUntil } from './harness/place.ts';
import { findProcess, processTree, untilGone } from './harness/processTree.ts';
import { startService, type Service } from './harness/service.ts';
import { parseTrace, type TracedCall } from './harness/trace.ts';
import { placeEnvironment, untilReady, type VouchPlace } from './harness/vouchSubjects.ts';

const canTrace = process.platform === 'linux' && spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
if (!canTrace) console.log('tests/crash/durability.test.ts is skipped: it needs strace and the right to trace processes');

/** kill -9 keeps the kernel's page cache, so only the system calls show what would survive a power cut. */
describe.skipIf(!canTrace)('what is acknowledged was synced to disk before (needs strace and the right to trace)', () => {
  let place: VouchPlace;
  let service: Service;
  let trace = '';

  let chain: DeployedTestChain;

  beforeAll(async () => {
    place = await makePlace();
    chain = await startTestDeployment({ operators: 1 });
    await chain.mine();
    trace = join(place.folder, 'trace');
    service = await startService({
      program: 'strace',
      // strace stops the processes only at these calls; -y shows the paths of file descriptors.
      arguments: ['-f', '-qq', '--seccomp-bpf', '-y', '-s', '16', '-e', 'trace=fsync,fdatasync,write,writev', '-o', trace,
        process.execPath, vouchProgram, 'serve'],
      folder: place.folder,
      environment: { ...placeEnvironment(place), ...gatewayEnvironment(chain), VOUCH_LOG_LEVEL: 'error' },
    });
    await untilReady(place, AbortSignal.timeout(240_000));
  });
  afterAll(async () => {
    // strace ignores SIGTERM while it traces a command; strace ends with the last traced process.
    const tree = processTree(service.processId);
    process.kill(findProcess(tree.slice(1), vouchProgram).processId, 'SIGTERM');
    expect(await service.ended).toBe(0);
    await untilGone(tree);
    await removePlace(place);
    await chain.stop();
  });

  /** Returns the calls between sending the request and receiving the first bytes of the response. */
  async function callsBefore(status: number, send: () => Promise<Answer>): Promise<TracedCall[]> {
    const { size } = await stat(trace);
    expectStatus(await send(), status);
    let calls: TracedCall[] = [];
    await waitUntil('the answer is in the trace', async () => {
      // Starts after the last complete line at that time, because the first call after a half-written line may be the relevant
      // one.
      const text = await readFile(trace, 'latin1');
      calls = parseTrace(text.slice(text.lastIndexOf('\n', size - 1) + 1));
      return calls.some((call) => isAnswer(call, status));
    });
    return calls.slice(0, calls.findIndex((call) => isAnswer(call, status)));
  }

  it('the names of the folders of a new database and of a new blob store', async () => {
    const synced = parseTrace(await readFile(trace, 'latin1')).filter(({ name }) => name === 'fsync').map(({ path }) => path);
    expect(synced).toEqual(expect.arrayContaining([join(place.folder, 'postgres'), place.folder]));
  });

  it('the content of an upload, its folders, and then the commit of its row', async () => {
    const calls = await callsBefore(201, () => clientOf(place).upload([{ name: 'rows.csv', content: interactionRows(100) }], ['traced']));
    const synced = calls.filter(({ name }) => name === 'fsync' || name === 'fdatasync').map(({ path }) => path);
    const blobs = join(place.folder, 'blobs');
    const content = synced.findIndex((path) => path.startsWith(join(blobs, 'incoming/')));
    const folders = [/^\/[0-9a-f]{2}\/[0-9a-f]{2}$/, /^\/[0-9a-f]{2}$/, /^$/].map((shape) =>
      synced.findIndex((path, at) => at > content && path.startsWith(blobs) && shape.test(path.slice(blobs.length))));
    const commit = synced.findLastIndex((path) => path.includes('/pg_wal/'));
    expect({ synced, content }).not.toMatchObject({ content: -1 });
    expect({ synced, folders }).toMatchObject({ folders: folders.toSorted((left, right) => left - right) });
    expect(Math.min(...folders)).toBeGreaterThan(content);
    expect({ synced, commit: commit > Math.max(...folders) }).toMatchObject({ commit: true });
  });

  it('the commit of a training', async () => {
    const calls = await callsBefore(202, () => clientOf(place).post('/v1/recommender/train', { model_id: 'traced' }));
    expect(calls.filter(({ name, path }) => name.endsWith('sync') && path.includes('/pg_wal/')).length).toBeGreaterThan(0);
  });

  it('the commit of a signed message', async () => {
    const [operator] = chain.operators;
    const unsigned = { kind: 'claimer', claimer: `0x${'c1'.repeat(20)}`, expired_at: Math.floor(Date.now() / 1000) + 3_600 } as const;
    const body = await signMessage(unsigned, chain.domain, operator!.privateKey);
    const headers = { 'content-type': 'application/json', origin: 'https://operator.example', 'x-app-id': 'traced' };
    const calls = await callsBefore(200, async () => {
      const answer = await fetch(`${urlOf(place)}/explorer_alphanet/send_tx_set_reward_claimer`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, body: await answer.json() };
    });
    expect(calls.filter(({ name, path }) => name.endsWith('sync') && path.includes('/pg_wal/')).length).toBeGreaterThan(0);
  });
});

/** The relayer's key is unreadable, so that the gateway writes nothing except the message. */
function gatewayEnvironment({ url, chainId, contracts }: DeployedTestChain): Record<string, string> {
  return {
    VOUCH_CHAIN_RPC_URL: url, VOUCH_CHAIN_ID: String(chainId), VOUCH_CONTRACT_ADDRESS: contracts.service,
    VOUCH_RELAYER_KEYSTORES: '/nowhere/relayer.json', VOUCH_RELAYER_PASSWORD_FILE: '/nowhere/password',
  };
}

function isAnswer({ name, text }: TracedCall, status: number): boolean {
  return name.startsWith('write') && text.includes(`"HTTP/1.1 ${status}`);
}
