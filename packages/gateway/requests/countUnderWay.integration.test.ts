import type { TestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countUnderWay } from './countUnderWay.ts';
import { requestStates, type RequestState } from './gatewayRequest.ts';
import { openGatewayDatabase, shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

const deployment = '31337:0xservice:0123456789abcdef';
let database: TestDatabase;

beforeAll(async () => {
  database = await openGatewayDatabase();
  await database.query(
    `insert into gateway_batches (batch_id, deployment, relayer, state, nonce, operations, created_at, transaction_hash, gas_used)
     values ('b', $1, $2, 'mined', 1, 1, now(), $2, 1)`, [deployment, Buffer.alloc(20, 9)]);
});
afterAll(() => database.close());

/** Stores a request in the given state, received at `second` and verified one second later. */
const store = (state: RequestState, second: number) => database.query(
  `insert into gateway_requests (request_id, deployment, kind, operation, digest, signer, signature, client, deadline, state, batch_id, received_at, verified_at)
   values ($1, $2, 'exit', '{}', $3, $4, $5, '{}', now(), $6, $7, to_timestamp($8), to_timestamp($8 + 1))`,
  [`gw_${second}`, deployment, Buffer.alloc(32, second), Buffer.alloc(20, 1), Buffer.alloc(65), state, state === 'mined' ? 'b' : null, second]);

it('counts what has not ended, in each of its states, and tells the first of it', async () => {
  expect(await countUnderWay(database, deployment)).toEqual({ count: 0, received: null, verified: null });
  for (const [at, state] of requestStates.toReversed().entries()) await store(state, at);
  // The three end states are stored first; `mined` follows at 3 s.
  expect(await countUnderWay(database, deployment)).toEqual({ count: 4, received: new Date(3_000), verified: new Date(4_000) });
  await database.query(`update gateway_requests set state = 'confirmed' where state = 'mined'`);
  expect(await countUnderWay(database, deployment)).toEqual({ count: 3, received: new Date(4_000), verified: new Date(5_000) });
  expect(await countUnderWay(database, 'another')).toEqual({ count: 0, received: null, verified: null });
});
