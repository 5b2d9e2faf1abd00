import { afterAll, beforeAll, describe, it } from 'vitest';
import type { ConformanceContext } from '@vouch/platform/product/product';
import { products } from '../../packages/vouch/wiring/products.ts';
import { startReceiver, type Receiver } from './harness/receiver.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

let vouch: RunningVouch;
let receiver: Receiver;
let context: ConformanceContext;
const results: [section: string, statement: string, result: string][] = [];

beforeAll(async () => {
  receiver = await startReceiver();
  vouch = await startVouch({ arguments: ['--devnet'], environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: receiver.address } });
  const { key: apiKey, organization } = await vouch.createKey();
  context = {
    baseUrl: vouch.url,
    receiver,
    apiKey,
    folder: vouch.folder,
    createKey: async (scopes, whose = 'same') =>
      (await vouch.createKey(whose === 'same' ? { scopes, organization } : { scopes })).key,
  };
});

afterAll(async () => {
  await vouch.stop();
  await receiver.close();
  const width = Math.max(...results.map(([section]) => section.length));
  const lines = results.map(([section, statement, result]) => `${result.padEnd(14)}  ${section.padEnd(width)}  ${statement}`);
  process.stdout.write(`\nConformance with the specification\n${lines.join('\n')}\n`);
});

for (const product of products) {
  const rows = await product.conformance();
  describe(`${product.name} keeps to the specification`, () => {
    it.each(rows.map((row) => [`${row.section}: ${row.statement}`, row] as const))('%s', async (_name, row) => {
      results.push([row.section, row.statement, 'does not hold']);
      await row.check(context);
      results[results.length - 1] = [row.section, row.statement, 'holds'];
    });
  });
}
