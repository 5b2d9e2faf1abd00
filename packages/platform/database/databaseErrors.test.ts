import { describe, expect, it } from 'vitest';
import type { Problem } from '../errors/problem.ts';
import { translateDatabaseError } from './databaseErrors.ts';

function detailOf(lost: { message?: string; code?: string }, statement: string | null): string {
  const error = Object.assign(new Error(lost.message ?? lost.code), lost.code === undefined ? {} : { code: lost.code });
  return (translateDatabaseError(error, statement) as Problem).detail;
}

describe('a lost answer', () => {
  const lost = [{ code: '57P01' }, { code: '57P02' }, { code: '08006' }, { code: 'ECONNRESET' }, { code: 'EPIPE' }, { message: 'Connection terminated unexpectedly' }, { message: 'Query read timeout' }];

  it.each(['COMMIT', 'INSERT INTO t VALUES (1)', '\n  UPDATE t SET n = 1', 'WITH gone AS (DELETE FROM t RETURNING n) SELECT n FROM gone'])('to %s leaves unknown whether the change took place', (statement) => {
    for (const error of lost) {
      const detail = detailOf(error, statement);
      expect(detail).toMatch(/unknown whether the change took place.*Idempotency-Key.*check the data/);
      expect(detail).not.toContain('Nothing was changed');
    }
  });

  it.each([null, 'SELECT 1', '\n  select n FROM t'])('to %s means that nothing was changed', (statement) => {
    for (const error of lost) expect(detailOf(error, statement)).toContain('Nothing was changed. Repeat the request');
  });
});

it.each([{ code: 'ECONNREFUSED' }, { code: 'ENOTFOUND' }, { code: '57P03' }, { code: '53300' }, { message: 'timeout exceeded when trying to connect' }, { message: 'Client was closed and is not queryable' }])(
  'a statement that was not sent (%o) changed nothing', (error) => expect(detailOf(error, 'INSERT INTO t VALUES (1)')).toContain('Nothing was changed'));

it('an error of the statement itself stays as it is', () => {
  const error = Object.assign(new Error('duplicate key'), { code: '23505' });
  expect(translateDatabaseError(error, 'INSERT INTO t VALUES (1)')).toBe(error);
});
