import { afterEach, expect, test } from 'vitest';
import { GatewayTestServer, type Answer } from '../testing/gatewayTestServer.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let gateway: GatewayTestServer;
afterEach(() => gateway.close());

interface Bill {
  gas: number;
  wei: string;
  rows: { signer: string; kind: string; messages: number; gas: number; wei: string }[];
}

test('the bill names what each operator cost, for the time asked for, and only to an admin', async () => {
  gateway = await GatewayTestServer.start({ operators: 2, blockTimeSeconds: 1 });
  const [operator] = gateway.chain.operators;
  await gateway.enter(operator!);
  gateway.startSending();
  const { headers } = await gateway.signAndSend(await gateway.claimerMessage(), operator!);
  const record = headers.get('location') ?? '';
  for (let status = ''; status !== 'confirmed'; ) {
    status = (await gateway.send<{ status: string }>('GET', record)).body.status;
    expect(['failed', 'expired']).not.toContain(status);
  }
  const ask = (query = ''): Promise<Answer<Bill>> => gateway.send<Bill>('GET', `/gateway/bill${query}`, undefined, { apikey: 'default:admin' });
  const { status, body } = await ask('?to=2100-01-01T00:00:00Z');
  expect(status).toBe(200);
  expect(body.rows).toHaveLength(1);
  expect(body.rows[0]).toMatchObject({ kind: 'claimer', messages: 1, gas: body.gas, wei: body.wei });
  expect(body.rows[0]!.signer.toLowerCase()).toBe(operator!.address);
  expect((await ask('?to=2000-01-01T00:00:00Z')).body.rows).toEqual([]);
  expect((await ask('?from=2026-01-01&to=2100-01-01')).body.rows).toEqual(body.rows);
  expect((await ask('?from=2099-01-01&to=2100-01-01')).body.rows).toEqual([]);
  const refused = await gateway.send<{ detail: string }>('GET', '/gateway/bill?from=&to=2026-13-01', undefined, { apikey: 'default:admin' });
  expect([refused.status, refused.body.detail]).toEqual([
    422, 'from is ""; it must be a time such as 2026-11-01T08:30:00Z or a date such as 2026-11-01. 1 more in `errors`.',
  ]);
  expect((await gateway.send('GET', '/gateway/bill')).status).toBe(401);
});
