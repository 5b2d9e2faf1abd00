import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { RowResult } from '../../../packages/vouch/conformance/checkRow.ts';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';
import { Client } from '../../../packages/recommender/conformance/client.ts';
import { startVouch, type RunningVouch } from '../harness/startVouch.ts';
import { startProxy, type Proxy } from './wrongServer.ts';

/** Runs vouch conformance against a server that the command did not start. conformance.test.ts tests the individual checks. */
let vouch: RunningVouch;
let proxy: Proxy;

beforeAll(async () => {
  proxy = await startProxy();
  vouch = await startVouch({ environment: { VOUCH_PUBLIC_URL: proxy.url } });
  proxy.target = vouch.url;
});

afterAll(async () => {
  await vouch?.stop();
  await proxy?.close();
});

interface Ended {
  code: number;
  output: string;
  errors: string;
}

interface Report {
  prefix: string;
  counts: Record<string, number>;
  results: RowResult[];
  batches_deleted: number;
  left: string[];
}

async function check(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const env = { ...process.env, ...environment };
  return promisify(execFile)(process.execPath, [vouchProgram, 'conformance', ...words], { env, maxBuffer: 2 ** 24 }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout, errors: stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, output: error.stdout, errors: error.stderr }),
  );
}

const named = (results: readonly RowResult[], verdict: string): string[] => results.filter((result) => result.verdict === verdict).map(({ statement }) => statement);

describe('vouch conformance', () => {
  exhaustiveTest('says what it will do, skips what the key may not do with the reason, deletes its batches, and leaves those of others', async () => {
    const { key: owner, organization } = await vouch.createKey();
    const kept = await new Client(vouch.url, owner).upload(['id,type,name,metadata,media_url\na,thing,,,\n'], ['kept']);
    const { key } = await vouch.createKey({ scopes: ['data:read', 'data:write'], organization });
    const { code, output, errors } = await check([proxy.url, '--json'], { VOUCH_CONFORMANCE_KEY: key });
    const { prefix, results, batches_deleted: deleted, left } = JSON.parse(output) as Report;
    expect([code, named(results, 'fails'), left]).toEqual([0, [], []]);
    expect(errors).toContain(`tags and models begin with ${prefix}`);
    expect(deleted).toBeGreaterThan(20);
    for (const { verdict, reason } of results) if (verdict === 'skipped') expect(reason).toMatch(/^(?:needs|requires|the key has no permission to) /);
    expect(errors).toContain('The key has no permission to train');
    const skipped = new Map(results.filter(({ verdict }) => verdict === 'skipped').map(({ statement, reason }) => [statement, reason]));
    expect(skipped.get('T3')).toContain('the key has no permission to train (403)');
    expect(skipped.get('B27')).toContain('an organization that had no batch before');
    expect(skipped.get('G1')).toContain('--gateway-url');
    expect(named(results, 'holds')).toEqual(expect.arrayContaining(['B1', 'B23', 'B26']));
    expect((await new Client(vouch.url, owner).batches()).json()).toEqual(kept);
  });

  it('without a key checks the gateway alone, also at the URL of the other interfaces, and ends with 4 where statements fail', async () => {
    // A gateway without a chain responds with 503, so all checks of message fields fail.
    const { code, output } = await check([proxy.url, '--gateway-url', proxy.url]);
    expect(code).toBe(4);
    for (const statement of ['G1', 'G18']) expect(output).toMatch(new RegExp(`^FAILS ${statement}: .*\n +\\S.*\n +.*This gateway has no chain`, 'm'));
    expect(output).toMatch(/^G9 +holds /m);
    expect(output).toMatch(/^skipped .*B1 .*: requires a key \(--key\)$/m);
    expect(output).toMatch(/^skipped .*P1 .*: needs the node program of the same sources/m);
    expect(output).toMatch(/^\d+ hold, \d+ deviate as documented, \d+ fail, \d+ skipped\.$/m);
  });

  exhaustiveTest('refuses a key that the server does not know, a server that does not answer, and a call without a key', async () => {
    expect(await check([proxy.url, '--key', 'nothing'])).toMatchObject({ code: 3, output: '', errors: expect.stringContaining('does not accept the key') as string });
    expect(await check(['http://127.0.0.1:9', '--key', 'k'])).toMatchObject({ output: '', errors: expect.stringContaining('http://127.0.0.1:9 does not answer') as string });
    expect(await check([proxy.url])).toMatchObject({ output: '', errors: expect.stringContaining('Nothing to check') as string });
    expect(await check(['nowhere', '--key', 'k'])).toMatchObject({ code: 2, errors: expect.stringContaining('is not an HTTP URL') as string });
  });
});
