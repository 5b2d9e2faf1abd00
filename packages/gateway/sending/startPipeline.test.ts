import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Database } from '@vouch/platform/database/database';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { testSettings } from '../testing/testGateway.ts';
import { startPipeline } from './startPipeline.ts';

it('keystores are opened only where the chain answers, and one that does not open is tried again after half a minute, not at once', async () => {
  let chainAnswers = false;
  let opened = 0;
  const waits: { milliseconds: number; opened: number }[] = [];
  let told = (): void => {};
  const done = new Promise<void>((resolve) => { told = resolve; });
  const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    waits.push({ milliseconds, opened });
    chainAnswers = waits.length >= 2;
    if (waits.length < 4) return;
    told();
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  };
  const address = `0x${'00'.repeat(20)}` as const;
  const pipeline = startPipeline(
    { ...systemInterfaces, timers: { sleep }, database: { listen: async () => async () => {} } as unknown as Database, log: createLogger('silent'), metrics: new Registry(), tracer: null }, testSettings,
    {
      name: 'default', retention: { days: 0, note: () => {} }, knownDeployment: async () => '1:0x:0', rpc: {} as RpcClient, chainId: 1n, contract: address, multicall: address,
      readDeployment: async () => ({ name: '1:0x:0' }),
      async deployment() {
        if (!chainAnswers) throw new Error('the chain cannot be read');
        return { name: '1:0x:0', native: true };
      },
      relayerKeys: [{
        name: 'the keystore relayer.json',
        async open() {
          opened += 1;
          throw new Error('The keystore cannot be opened.');
        },
      }],
    });
  await done;
  await pipeline.close();
  expect(waits).toEqual([
    { milliseconds: 1_000, opened: 0 }, { milliseconds: 1_000, opened: 0 }, { milliseconds: 30_000, opened: 1 }, { milliseconds: 30_000, opened: 2 },
  ]);
});
