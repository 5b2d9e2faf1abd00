import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConformanceContext, ConformanceRow } from '@vouch/platform/conformance/context';
import { fetchWhole } from '@vouch/platform/outbound/fetchWhole';
import { sampleOf } from '@vouch/platform/testing/exhaustive';
import { gatewayChain, type Chain } from '../../../packages/gateway/conformance/fixture.ts';
import { verifierProgram } from '../../../bench/harness/serveVouch.ts';
import { runVerifier } from '../../../packages/verifier/testing/runVerifier.ts';
import { makeFixture } from '../../../packages/video/engine/testing/clips/makeFixture.ts';
import { checkRow, type RowResult } from '../../../packages/vouch/conformance/checkRow.ts';
import { suites } from '../../../packages/vouch/conformance/suites.ts';
import { startReceiver, type Receiver } from '../harness/receiver.ts';
import { startVouch, type RunningVouch } from '../harness/startVouch.ts';
import { hurryChain, type Hurry } from './hurryChain.ts';
import { startProxy, type Proxy, type Wrong } from './wrongServer.ts';
import { wrongServers } from './wrongServers.ts';

const repository = new URL('../../../', import.meta.url);
/** Checks run against wrong servers too: each one where the variable says `all`, as the heavy test `wrongServers` does; otherwise one of eight, which takes half of the processor time. */
const checksPerWrongServer = process.env['VOUCH_TEST_WRONG_SERVERS'] === 'all' ? 1 : 8;
let vouch: RunningVouch;
let receiver: Receiver;
let proxy: Proxy;
let context: ConformanceContext;
let scratch: string;
let hurry: Hurry | null = null;
let wrong: Readonly<Record<string, readonly Wrong[]>>;
const results: RowResult[] = [];

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vouch-conformance-'));
  [receiver, proxy] = [await startReceiver(), await startProxy()];
  vouch = await startVouch({ arguments: ['--devnet'], environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: receiver.address, VOUCH_PUBLIC_URL: proxy.url, VOUCH_SIGNER_QUOTA: '0' } });
  // The checks send more claimer messages in a minute than an operator sends in weeks.
  for (const scope of ['signer', 'license']) {
    const { status, text } = await vouch.client.send('PUT', `/gateway/budgets/${scope}`, { body: { gas: { claimer: 1e9, commission: 1e9, enter: 1e9, exit: 1e9 } } });
    if (status !== 200) throw new Error(text);
  }
  proxy.target = vouch.url;
  const { key: apiKey, organization } = await vouch.createKey();
  receiver.serve('/clip.mp4', await makeFixture({ seconds: 4, cuts: [2] }));
  context = {
    baseUrl: proxy.url, gatewayUrl: proxy.url, apiKey, fetch: fetchWhole, prefix: `conformance-${process.pid}`, disposable: true, mediaUrl: `${receiver.url}/clip.mp4`, kept: new Map(),
    inHouse: {
      receiver, folder: vouch.folder, operate: vouch.run,
      createKey: async (scopes, whose = 'same') => (await vouch.createKey(whose === 'same' ? { scopes, organization } : { scopes })).key,
      readFile: (path) => readFile(new URL(path, repository), 'utf8'),
      node: { bundle: dirname(verifierProgram), folder: scratch, run: runVerifier },
    },
  };
  hurry = await hurryChain(vouch.folder);
  for (const { prepare } of suites) await prepare(context);
  wrong = wrongServers(context, (): Promise<Chain> => gatewayChain(context), scratch);
});

afterAll(async () => {
  await hurry?.stop();
  await vouch?.stop();
  await receiver?.close();
  await proxy?.close();
  await rm(scratch, { recursive: true, force: true });
  const lines = results.map(({ statement, verdict, says, shows }) => `${verdict.padEnd(8)}  ${statement.padEnd(3)}  ${says} — ${shows}`);
  process.stdout.write(`\nConformance with the specification\n${lines.join('\n')}\n`);
});

/** Runs a check against a wrong server. Returns null if the wrong server changed nothing that the check requested. */
async function checkWrong(row: ConformanceRow, way: Wrong): Promise<RowResult | null> {
  let changes = 0;
  const changed = (): void => void (changes += 1);
  const restore = await way.world?.();
  Object.assign(proxy, { wrong: way, changes: 0 });
  try {
    const inHouse = way.inHouse === undefined ? context.inHouse : way.inHouse(context.inHouse!, changed);
    const result = await checkRow(row, { ...context, inHouse });
    return changes + proxy.changes > 0 || restore !== undefined ? result : null;
  } finally {
    proxy.wrong = null;
    await restore?.();
  }
}

for (const { name, rows } of suites) {
  describe(`${name} keeps to the specification`, () => {
    // The wrong servers run first: the check then passes on the correct server, which shows that the wrong servers caused the
    // failures.
    it.each(sampleOf(rows, Math.ceil(rows.length / 16)).map((row, at) => [`${row.statement}: ${row.shows}`, row, at % checksPerWrongServer === 0] as const))('%s', async (_name, row, mustFailOnce) => {
      const verdicts: string[] = [];
      for (const way of mustFailOnce ? wrong[row.statement] ?? [] : []) {
        const result = await checkWrong(row, way);
        verdicts.push(`${way.name}: ${result === null ? 'changes nothing' : `${result.verdict} ${result.reason ?? ''}`}`);
        if (result?.verdict === 'fails') break;
      }
      const result = await checkRow(row, context);
      results.push(result);
      if (mustFailOnce) expect.soft(verdicts.some((verdict) => verdict.includes(': fails')), `no wrong server makes it fail: ${JSON.stringify(verdicts)}`).toBe(true);
      expect(['holds', 'deviates'], `${result.verdict}: ${result.reason}`).toContain(result.verdict);
    });
  });
}
