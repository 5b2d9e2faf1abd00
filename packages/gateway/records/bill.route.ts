import type { Connection } from '@vouch/platform/database/database';
import { typed } from '@vouch/platform/http/request';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { getAddress } from 'viem/utils';
import type { RowScope } from '../requests/rowScope.ts';
import { loadGasBill } from './gasBill.ts';
import { billExample } from './record.examples.ts';

const Bill = Type.Object({
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  by_day_before: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Before this moment, messages whose records were removed count at 00:00 UTC of the day on which they were mined; null if none was removed.',
  }),
  gas: Type.Integer({ description: 'Gas of the receipts of all transactions that carried messages.' }),
  wei: Type.String({ description: 'Wei paid for the transactions; equals the sum of the rows.' }),
  rows: Type.Array(Type.Object({
    deployment: Type.String({ description: 'Chain, contract and the first digits of the hash of the first block.' }),
    signer: Type.String(),
    kind: Type.String({ description: '`enter`, `exit`, `commission`, `claimer` or `report`.' }),
    messages: Type.Integer({ description: 'Number of times that the messages were part of a transaction; a message counts twice if a second transaction had to carry it.' }),
    gas: Type.Integer(),
    wei: Type.String(),
  })),
}, { title: 'GasBill', examples: [billExample] });

const moment = [Type.String({ format: 'date-time' }), Type.String({ format: 'date' })];

/** GET /gateway/bill: cost of each signer's messages, for the gateway's operator. */
export function billRoute(server: FastifyInstance, database: Connection, clock: Clock, scope: RowScope): void {
  typed(server).get('/gateway/bill', {
    config: { scope: 'admin', operatorOnly: true },
    schema: {
      operationId: 'getBill',
      summary: 'Cost of the messages of each operator',
      description: 'By operator and kind of message, for transactions mined in the requested period. The rows sum to the receipts, to the wei.',
      tags: ['gateway'],
      querystring: Type.Object({
        from: Type.Optional(Type.Union(moment, { description: 'Start of the period (inclusive), as a time or a date (UTC). Default: the first transaction.' })),
        to: Type.Optional(Type.Union(moment, { description: 'End of the period (exclusive), as a time or a date (UTC). Default: now.' })),
      }),
      response: { 200: Bill },
    },
  }, async (request, reply) => {
    const from = new Date(request.query.from ?? 0);
    const to = request.query.to === undefined ? new Date(clock.now()) : new Date(request.query.to);
    const { rows, byDayBefore } = await loadGasBill(database, scope, { from, to });
    reply.header('cache-control', 'no-store');
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      by_day_before: byDayBefore?.toISOString() ?? null,
      gas: Number(rows.reduce((sum, { gas }) => sum + gas, 0n)),
      wei: String(rows.reduce((sum, { wei }) => sum + wei, 0n)),
      rows: rows.map((row) => ({ ...row, signer: getAddress(row.signer), gas: Number(row.gas), wei: String(row.wei) })),
    };
  });
}
