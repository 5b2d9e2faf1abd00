import { messageRows } from '@vouch/gateway/conformance/messageRows';
import type { ConformanceContext } from '@vouch/platform/conformance/context';
import { expect, it } from 'vitest';
import { checkRow } from './checkRow.ts';

const sentence = 'The budget of gas of the signer 0x12 for claimer messages of 2026-11-23 is used up.';

const answering = (status: number, body: object): ConformanceContext => ({
  baseUrl: 'http://vouch.test', gatewayUrl: 'http://vouch.test', apiKey: '', prefix: 'p', disposable: false, mediaUrl: null, inHouse: null, kept: new Map(),
  fetch: async () => new Response(JSON.stringify(body), { status }),
});

it('a row for whose message the gateway has no budget left is skipped, with the reason and the way out', async () => {
  const rows = messageRows.filter(({ statement }) => ['G1', 'G9', 'G21', 'Z3'].includes(statement));
  for (const code of ['quota', 400]) {
    for (const row of rows) {
      const { verdict, reason } = await checkRow(row, answering(400, { error: sentence, code, reason: 'quota', message: sentence }));
      expect([verdict, reason]).toEqual(['skipped', expect.stringContaining(sentence)]);
      expect(reason).toContain('vouch gateway budget');
    }
  }
  expect(rows.length).toBeGreaterThan(3);
});

it('a row whose message is refused for another reason fails', async () => {
  const row = messageRows.find(({ statement }) => statement === 'Z3')!;
  expect((await checkRow(row, answering(400, { error: sentence, code: 'no-weight', reason: 'no-weight' }))).verdict).toBe('fails');
});
