import type { Connection, Database } from '@vouch/platform/database/database';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/database/testDatabase';
import { Problem } from '@vouch/platform/errors/problem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewRequest, StoredRequest } from '../../requests/requestStore.ts';
import { RequestFinder } from './requestFinder.ts';
import { RequestWriter } from './requestWriter.ts';
import { SignerQuotas } from './signerQuotas.ts';

const deployment = '31337:0xservice:0123456789abcdef';
const hour = 3_600_000;
const clock = { ms: 400_000 * hour + 1_000, now: () => clock.ms };
let database: TestDatabase;
let statements: string[];
/** The database itself, with a note of each statement. */
let noted: Database;

beforeEach(async () => {
  database = await openTestDatabase({ migrations: [{ product: 'gateway', folder: new URL('../../migrations/', import.meta.url) }] });
  statements = [];
  const query: Connection['query'] = (sql, values) => {
    statements.push(sql);
    return database.query(sql, values);
  };
  noted = { ...database, query };
});
afterEach(() => database.close());

let made = 0;

function message(signer = 1, digest = ++made): NewRequest {
  const at = new Date(clock.now());
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32BE(digest, 0);
  return {
    requestId: `gw_${++made}`, operation: { kind: 'exit', expiredAt: 1n }, digest: bytes, signer: Buffer.alloc(20, signer),
    signature: { v: 27, r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}` }, client: { origin: 'é"\\', user_agent: null, app_id: null, dialect: 'field' },
    deadline: at, receivedAt: at, verifiedAt: at, unchanged: null,
  };
}

function writerWith(limit: number, on: Database = noted): { writer: RequestWriter; quotas: SignerQuotas; wakes: { count: number } } {
  const quotas = new SignerQuotas(limit, clock);
  const wakes = { count: 0 };
  return { writer: new RequestWriter(on, quotas, () => { wakes.count++; }), quotas, wakes };
}

async function rows(): Promise<{ request_id: string; sequence: string }[]> {
  return (await database.query<{ request_id: string; sequence: string }>('SELECT request_id, sequence FROM gateway_requests ORDER BY sequence')).rows;
}

const reasonOf = (result: PromiseSettledResult<StoredRequest>): string =>
  result.status === 'fulfilled' ? 'stored' : result.reason instanceof Problem ? result.reason.code : String(result.reason);

describe('messages that come together', () => {
  it('are stored in their order, many in one statement, and wake whoever sends them', async () => {
    const { writer, wakes } = writerWith(0);
    const requests = Array.from({ length: 1_200 }, (_, at) => message(at % 50));
    const stored = await Promise.all(requests.map((request) => writer.write(deployment, request)));
    expect(stored.map(({ requestId, repeated, state }) => [requestId, repeated, state])).toEqual(requests.map(({ requestId }) => [requestId, false, 'verified']));
    expect((await rows()).map(({ request_id: id }) => id)).toEqual(requests.map(({ requestId }) => requestId));
    expect(statements.length).toBeLessThanOrEqual(4);
    expect(wakes.count).toBe(statements.length);
  });

  it('and are the same are stored once, each answered with the first id', async () => {
    const { writer } = writerWith(0);
    const first = message(3, 77_777);
    const stored = await Promise.all([first, message(3, 77_777), message(4, 77_777), message(3, 77_777)].map((request) => writer.write(deployment, request)));
    expect(stored.map(({ requestId, repeated }) => [requestId === first.requestId, repeated])).toEqual([[true, false], [true, true], [false, false], [true, true]]);
    expect(await writer.write(deployment, message(3, 77_777))).toMatchObject({ requestId: first.requestId, repeated: true });
    expect((await writer.write('31337:0xother:0', message(3, 77_777))).requestId).not.toBe(first.requestId);
    expect(await rows()).toHaveLength(3);
  });

  it('to two processes at once, in opposite orders, are each stored once', async () => {
    const [one, other] = [writerWith(0, database), writerWith(0, database)];
    for (let round = 0; round < 10; round++) {
      const digests = Array.from({ length: 40 }, () => 100_000 + ++made);
      const results = await Promise.all([
        ...digests.map((digest) => one.writer.write(deployment, message(1, digest))),
        ...digests.toReversed().map((digest) => other.writer.write(deployment, message(1, digest))),
      ]);
      expect(new Set(results.map(({ requestId }) => requestId)).size).toBe(40);
    }
    expect(await rows()).toHaveLength(400);
  });

  it('beyond what can wait are refused, and none of those that wait is lost', async () => {
    const { writer } = writerWith(0);
    let release = (): void => {};
    const held = database.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE gateway_requests IN ACCESS EXCLUSIVE MODE');
      await new Promise<void>((free) => { release = free; });
    });
    await expect.poll(async () => (await database.query<{ held: boolean }>(
      `SELECT count(*) > 0 AS held FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'gateway_requests'::regclass AND granted`)).rows[0]?.held).toBe(true);
    const writes: Promise<StoredRequest>[] = [];
    let refusal: unknown = null;
    while (refusal === null && writes.length < 20_000) {
      try {
        writes.push(writer.write(deployment, message()));
      } catch (error) {
        refusal = error;
      }
      if (writes.length % 1_000 === 0) await new Promise(setImmediate);
    }
    expect(refusal).toMatchObject({ code: 'gateway-overloaded', headers: { 'retry-after': '2' } });
    release();
    await held;
    await Promise.all(writes);
    expect(await rows()).toHaveLength(writes.length);
  });
});

describe('a quota', () => {
  it('holds for messages that come together, leaves repeats out, and is another one for each signer', async () => {
    const { writer } = writerWith(5);
    const given = [...Array.from({ length: 8 }, () => message(1)), ...Array.from({ length: 3 }, () => message(2))];
    const results = (await Promise.allSettled(given.map((request) => writer.write(deployment, request)))).map(reasonOf);
    expect(results).toEqual([...Array(5).fill('stored'), ...Array(3).fill('quota'), ...Array(3).fill('stored')]);
    // Anybody can repeat what was seen: that takes nothing from the signer.
    for (let round = 0; round < 4; round++) await Promise.all(given.slice(8).map((request) => writer.write(deployment, request)));
    const rest = (await Promise.allSettled(Array.from({ length: 3 }, () => writer.write(deployment, message(2))))).map(reasonOf);
    expect(rest).toEqual(['stored', 'stored', 'quota']);
    expect((await Promise.allSettled([writer.write(deployment, given[0]!)])).map(reasonOf)).toEqual(['stored']);
  });

  it('holds over a restart, and begins anew with the hour', async () => {
    await Promise.all(Array.from({ length: 4 }, () => writerWith(5).writer.write(deployment, message(1))));
    const { writer, quotas } = writerWith(5);
    const results = (await Promise.allSettled(Array.from({ length: 3 }, () => writer.write(deployment, message(1))))).map(reasonOf);
    expect(results).toEqual(['stored', 'quota', 'quota']);
    expect(() => quotas.check(Buffer.alloc(20, 1))).toThrow(Problem);
    clock.ms += hour;
    expect((await writer.write(deployment, message(1))).repeated).toBe(false);
  });
});

describe('a message that ended badly', () => {
  it('is opened again at the end of the queue, where the quota has a place', async () => {
    const { writer } = writerWith(3);
    const [first, second] = [message(1), message(1)];
    await Promise.all([first, second].map((request) => writer.write(deployment, request)));
    await database.query(`UPDATE gateway_requests SET state = 'failed', reason_code = 'x', reason = 'x', ended_at = now(), batch_id = 'b', gas_used = 1 WHERE request_id = $1`, [first.requestId]);
    expect(await writer.write(deployment, { ...first, requestId: 'gw_other' })).toEqual({ requestId: first.requestId, state: 'verified', batchId: null, repeated: true });
    expect((await rows()).map(({ request_id: id }) => id)).toEqual([second.requestId, first.requestId]);
    await database.query(`UPDATE gateway_requests SET state = 'expired' WHERE request_id = $1`, [first.requestId]);
    expect((await Promise.allSettled([writer.write(deployment, first)])).map(reasonOf)).toEqual(['quota']);
  });
});

describe('what is looked up', () => {
  it('is found in one statement for all that ask at once', async () => {
    const { writer } = writerWith(0);
    const requests = Array.from({ length: 30 }, () => message());
    await Promise.all(requests.map((request) => writer.write(deployment, request)));
    statements.length = 0;
    const finder = new RequestFinder(noted);
    const found = await Promise.all([...requests, message()].map((request) => finder.find(deployment, request)));
    expect(found.map((each) => each?.requestId ?? null)).toEqual([...requests.map(({ requestId }) => requestId), null]);
    expect(await finder.find('31337:0xother:0', requests[0]!)).toBeNull();
    expect(statements).toHaveLength(2);
  });
});
