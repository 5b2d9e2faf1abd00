// Runs the shop. Usage: npx tsx examples/shop/run.ts [--url URL --key KEY] [--port 8090]
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connectRecommendations } from './recommendations.ts';
import { createShop } from './shop.ts';

const { values } = parseArgs({ options: {
  url: { type: 'string' },
  key: { type: 'string', default: process.env['KEY'] ?? '' },
  port: { type: 'string', default: '8090' },
  data: { type: 'string', default: './data/shop' },
} });

const started: ChildProcess[] = [];

/** Starts a Vouch server of this checkout. @returns its URL and key */
async function startVouch(folder: string): Promise<{ url: string; key: string }> {
  const port = Number(values.port) + 1;
  const url = `http://127.0.0.1:${port}`;
  console.log(`Starting Vouch on ${url}, with its data in ${folder}. The first start creates a database.`);
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../packages/vouch/bin/checkout.js', import.meta.url)), 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PORT: String(port), VOUCH_DATA: folder, VOUCH_LOG_LEVEL: 'warn' },
  });
  started.push(child);
  const ended = once(child, 'exit').then(() => { throw new Error('Vouch ended before it was ready.'); });
  const ready = async (): Promise<void> => {
    while (!(await fetch(`${url}/readyz`).then(({ ok }) => ok, () => false))) await sleep(200);
  };
  await Promise.race([ready(), ended]);
  ended.catch(() => {});
  return { url, key: (await readFile(join(folder, 'key'), 'utf8')).trim() };
}

async function main(): Promise<void> {
  if (values.url !== undefined && values.key === '') throw new Error('--url needs an API key: --key KEY, or the variable KEY.');
  const { url, key } = values.url === undefined ? await startVouch(join(process.cwd(), values.data)) : { url: values.url, key: values.key };
  const recommendations = connectRecommendations(url, key);
  await recommendations.prepare();
  const shop = createShop(recommendations).listen(Number(values.port), '127.0.0.1');
  await once(shop, 'listening');
  const address = shop.address();
  console.log(`The shop is open: http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : values.port}/`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of started) child.kill('SIGTERM');
    process.exit(0);
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  for (const child of started) child.kill('SIGTERM');
  process.exit(1);
});
