import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayTestServer } from '../testing/gatewayTestServer.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let gateway: GatewayTestServer;
let routes: { method: string; path: string; scope: string | null }[];

/** API keys of the test server name their organization and scopes. */
const keys = { operator: 'default:admin', stranger: 'shop:admin', reader: 'default:recommend:read,model:read,data:read,video:read', strangeReader: 'shop:recommend:read' };

beforeAll(async () => {
  gateway = await GatewayTestServer.start({ rpcUrl: null });
  routes = gateway.at.server.routeTable().filter(({ path }) => path.startsWith('/gateway/'));
});

afterAll(() => gateway?.close());

const ask = async ({ method, path }: (typeof routes)[number], apikey: string | null): Promise<{ status: number; code: string | undefined }> => {
  const answer = await fetch(gateway.at.url + path.replaceAll(/\{\w+\}/g, 'nothing'), { method, headers: apikey === null ? {} : { apikey } });
  const text = await answer.text();
  return { status: answer.status, code: text === '' ? undefined : (JSON.parse(text) as { code?: string }).code };
};

describe('what the gateway shows of all operators and what changes it', () => {
  it('is open to nobody but the two routes that clients need', () => {
    const open = routes.filter(({ scope }) => scope === null).map(({ method, path }) => `${method} ${path}`);
    expect(open).toEqual(['GET /gateway/info', 'GET /gateway/requests/{request_id}']);
    expect(routes.length).toBeGreaterThanOrEqual(12);
  });

  it.each<[who: keyof typeof keys | null, status: number, code: string]>([
    [null, 401, 'missing-key'],
    ['reader', 403, 'missing-scope'],
    ['strangeReader', 403, 'missing-scope'],
    ['stranger', 403, 'operator-only'],
  ])('is refused on every route to %s: %i %s', async (who, status, code) => {
    for (const route of routes.filter(({ scope }) => scope !== null)) {
      const name = `${route.method} ${route.path}`;
      expect({ name, ...(await ask(route, who === null ? null : keys[who])) }).toEqual({ name, status, code });
    }
  });

  it('is there on every route for an admin key of the organization default', async () => {
    for (const route of routes) expect([401, 403], `${route.method} ${route.path}`).not.toContain((await ask(route, keys.operator)).status);
  });

  it('is refused as metrics to an admin key of another organization, from outside the machine', async () => {
    const from = async (apikey: string) => (await fetch(`${gateway.at.url}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.1', apikey } })).status;
    expect([await from(keys.operator), await from(keys.stranger), await from(keys.reader)]).toEqual([200, 403, 403]);
  });
});
