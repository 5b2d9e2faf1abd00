import type { Connection } from '@vouch/platform/database/database';
import { createLogger } from '@vouch/platform/log/logger';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { measureDays } from './measureDays.ts';

it('days of every outcome are in the metrics before the first of them, so that an alert sees it come', async () => {
  const metrics = new Registry();
  const rows: { outcome: string; days: number }[] = [];
  const connection = { query: async () => ({ rows, rowCount: rows.length, command: 'SELECT', oid: 0, fields: [] }) } as Pick<Connection, 'query'> as Connection;
  measureDays({ name: 'default', metrics, connection, log: createLogger('silent'), deployment: async () => 'one' });
  const values = async (): Promise<string[]> => (await metrics.metrics()).split('\n').filter((line) => line.startsWith('vouch_gateway_days{'));
  expect(await values()).toEqual(['vouch_gateway_days{outcome="credited"} 0', 'vouch_gateway_days{outcome="waiting"} 0', 'vouch_gateway_days{outcome="lost"} 0']);
  rows.push({ outcome: 'lost', days: 2 });
  expect(await values()).toContain('vouch_gateway_days{outcome="lost"} 2');
});
