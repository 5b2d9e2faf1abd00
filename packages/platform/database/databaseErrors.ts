import { platformErrors } from '../errors/platformErrors.ts';
import { Problem } from '../errors/problem.ts';

/**
 * SQLSTATEs, system error codes, and messages of errors of pg without a code, that mean that the server is unavailable, not that the statement is wrong:
 * before the statement reached the server, or while no statement was running.
 */
const unsentCodes = new Set([
  '57P03', '57P05', '53300', '25P03', '08001', '08004', 'ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES',
]);
const unsentMessages = /^(Connection terminated due to connection timeout|timeout exceeded when trying to connect|Client was closed|Client has encountered a connection error|Cannot use a pool after calling end|The server does not support SSL)/;
/** The same after the statement may have reached the server; further SQLSTATEs of class 08 belong here. */
const lostCodes = new Set(['57P01', '57P02', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
const lostMessages = /^(Connection terminated|Query read timeout)/;

/** If the answer to a statement that only reads is lost, nothing is unknown. */
const readsOnly = /^\s*(?:SELECT|SHOW)\b/i;

/**
 * Converts the error of a failed statement: a lost server becomes Problem `database-unavailable`, a full disk `storage-full`. Errors of the statement
 * itself are returned unchanged.
 * @param statement the SQL text that takes effect on its own, such as `COMMIT`; null for a statement of a transaction, which is rolled back
 */
export function translateDatabaseError(error: unknown, statement: string | null = null): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const code = (error as { code?: string }).code ?? '';
  if (isUnavailable(error.message, code)) {
    const outcome = statement !== null && !readsOnly.test(statement) && !isUnsent(error.message, code)
      ? 'The connection was lost before PostgreSQL confirmed the change, so it is unknown whether the change took place. If the request had an Idempotency-Key, ' +
        'repeat it with the same key, which has no second effect; otherwise check the data before you repeat the request.'
      : 'Nothing was changed. Repeat the request; if the error persists, run `vouch doctor`.';
    return platformErrors.problem('database-unavailable',
      `PostgreSQL cannot be reached (${code || error.message}). ${outcome}`, { cause: error, headers: { 'retry-after': '2' } });
  }
  if (code === '53100') {
    return platformErrors.problem('storage-full', 'The disk of the database is full; none of the change was kept. ' +
      'Free space on this disk, then repeat the request.', { cause: error });
  }
  return error;
}

/** Returns whether an error only means that PostgreSQL was unavailable. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof Problem && error.code === 'database-unavailable';
}

function isUnsent(message: string, code: string): boolean {
  return unsentCodes.has(code) || (code === '' && unsentMessages.test(message));
}

function isUnavailable(message: string, code: string): boolean {
  return isUnsent(message, code) || lostCodes.has(code) || code.startsWith('08') || (code === '' && lostMessages.test(message));
}
