import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { openTestGateway, type TestGateway } from '../../packages/gateway/testing/testGateway.ts';
import type { WaitingTransaction } from '../../packages/gateway/orders/orderRecord.ts';
import { vouchProgram as program } from '../../bench/harness/serveVouch.ts';

/** Runs the operator's commands as separate programs in an empty folder, beside a gateway whose transaction waits for a block. */
const folder = mkdtempSync(join(tmpdir(), 'vouch-orders-'));
let gateway: TestGateway;
let id: string;

beforeAll(async () => {
  gateway = await openTestGateway({ automine: false, operators: 1 });
  gateway.start({ settings: { batch_window_ms: 0 } });
  id = await gateway.submit(gateway.chain.operators[0]!, { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt: await gateway.expiry() });
  await gateway.reached(id, 'sent');
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

function vouch(...given: string[]): Promise<{ code: number; output: string; errors: string }> {
  const env = { PATH: process.env['PATH'], VOUCH_DATA: join(folder, 'data'), DATABASE_URL: gateway.database.connectionString };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'gateway', ...given], { cwd: folder, env }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, errors }));
  });
}

exhaustiveTest('list what waits, speed it up, cancel it, and say why where they cannot', async () => {
  const listed = await vouch('transactions', '--json');
  const [waiting] = JSON.parse(listed.output) as WaitingTransaction[];
  expect([listed.code, waiting]).toEqual([0, expect.objectContaining({ nonce: 0, operations: 1, cancels: false })]);
  const { batch_id: batch } = waiting!;
  // The writer may take longer than usual on a busy machine.
  const wait = ['--wait', '600'];
  expect(await vouch('speed-up', batch, '--max-fee-gwei', '0.001', ...wait)).toMatchObject({ code: 4, output: expect.stringContaining('12.5 % more') as string });
  expect(await vouch('speed-up', batch, ...wait)).toMatchObject({ code: 0, output: expect.stringMatching(/^The replacement 0x[0-9a-f]{64} was sent\.\n$/) as string });
  expect(await vouch('cancel', batch, ...wait)).toMatchObject({ code: 0, output: expect.stringContaining('its messages return to the queue') as string });
  expect(await vouch('cancel', batch, ...wait)).toMatchObject({ code: 4, output: expect.stringContaining('already being cancelled') as string });
  expect((await vouch('transactions')).output).toContain('cancelled, unless a block includes the original');
  expect(await vouch('cancel', 'gb_none')).toMatchObject({ code: 3, errors: expect.stringContaining('vouch gateway transactions lists the pending transactions') as string });
  expect(await vouch('speed-up', batch, '--max-fee-gwei', 'much')).toMatchObject({ code: 2 });
  await gateway.mineUntil([id], ['confirmed'], 12);
  expect(await vouch('transactions')).toMatchObject({ code: 0, output: 'No transaction is pending.\n' });
  expect(await vouch('cancel', batch)).toMatchObject({ code: 3, errors: expect.stringContaining('is confirmed: only a prepared or sent transaction') as string });
});
