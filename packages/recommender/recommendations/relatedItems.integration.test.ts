import { once } from 'node:events';
import { connect } from 'node:net';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { startTestServer } from '@vouch/platform/testing/testServer';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Platform } from '@vouch/platform/product/product';
import { afterAll, beforeAll, it, vi } from 'vitest';
import { randomModel } from '../testing/randomModel.ts';
import { servingOf } from '../testing/listServing.ts';
import { Recommender } from '../engine/query/recommender.ts';
import { withModel } from '../testing/withModel.ts';
import type { ModelCache } from './modelCache.ts';
import { relatedItemsRoute } from './relatedItems.route.ts';

let database: TestDatabase;
beforeAll(async () => { database = await openTestDatabase(); });
afterAll(async () => { await database.close(); });

it('gives the model back where the client leaves before or during the answer', async () => {
  const ids = Array.from({ length: 200 }, (_, at) => `id-${at}`);
  const model = randomModel({ ids, types: 2, itemShare: 0.8, attributes: 5, rank: 4, seed: 3 });
  await withModel(model, async (reader) => {
    let given = 0;
    let returned = 0;
    const asked: (() => void)[] = [];
    const models: Pick<ModelCache, 'hold' | 'peek'> = {
      peek: () => null,
      async hold() {
        await new Promise<void>((resolve) => asked.push(resolve));
        given += 1;
        return { version: 1, recommender: new Recommender(reader), release: () => { returned += 1; } };
      },
    };
    const { server, port } = await startTestServer(database, {
      routes: [(scope) => relatedItemsRoute(scope, { random: systemInterfaces.random } as Platform, servingOf(models as ModelCache))],
    });
    try {
      const ask = (): ReturnType<typeof connect> => {
        const socket = connect({ host: '127.0.0.1', port });
        socket.on('error', () => undefined);
        socket.write('GET /v1/recommender/related_items?model_id=m HTTP/1.1\r\nhost: x\r\napikey: o:recommend:read\r\n\r\n');
        return socket;
      };
      const early = ask();
      await vi.waitUntil(() => asked.length === 1, { timeout: 120_000 });
      early.destroy();
      // The server has noticed the disconnect when it has closed its end of the connection.
      await vi.waitUntil(() => new Promise<boolean>((resolve) => server.server.getConnections((_, count) => resolve(count === 0))), { timeout: 120_000 });
      asked[0]?.();
      await vi.waitUntil(() => given === 1 && returned === 1, { timeout: 120_000 });

      const late = ask();
      await vi.waitUntil(() => asked.length === 2, { timeout: 120_000 });
      asked[1]?.();
      await once(late, 'data');
      late.destroy();
      await vi.waitUntil(() => given === 2 && returned === 2, { timeout: 120_000 });
    } finally {
      await server.close();
    }
  });
});
