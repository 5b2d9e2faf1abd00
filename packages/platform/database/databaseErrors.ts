import { platformErrors } from '../errors/platformErrors.ts';
import { Problem } from '../errors/problem.ts';

/** SQLSTATE classes and system codes that mean that the server is not there, not that the statement is wrong. */
const unavailableStates = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25P03']);
const unavailableSystemCodes = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH',
  'EACCES',
]);
/** Errors that pg itself makes have no code. */
const unavailableMessages = /^(Connection terminated|timeout exceeded when trying to connect|Client was closed|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end|The server does not support SSL)/;

/**
 * What a failed statement means to a caller: a lost server becomes Problem `database-unavailable`, a full disk
 * `storage-full`; errors of the statement itself are returned as they are.
 * @param during `commit` where it is not known whether the transaction took place
 */
export function translateDatabaseError(error: unknown, during: 'statement' | 'commit' = 'statement'): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const code = (error as { code?: string }).code ?? '';
  if (isUnavailable(error.message, code)) {
    const outcome = during === 'commit'
      ? 'The connection was lost during the commit, so it is not known whether the change took place: read it back before repeating.'
      : 'Nothing was changed. Repeat the request; if it fails for longer, run `vouch doctor`.';
    return platformErrors.problem('database-unavailable',
      `PostgreSQL cannot be reached (${code || error.message}). ${outcome}`, { cause: error, headers: { 'retry-after': '2' } });
  }
  if (code === '53100') {
    return platformErrors.problem('storage-full', 'The disk of the database is full; nothing of the change was kept. ' +
      'Free space there, then repeat the request.', { cause: error });
  }
  return error;
}

/** Whether a failure says only that PostgreSQL was away, as `translateDatabaseError` names it. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof Problem && error.code === 'database-unavailable';
}

function isUnavailable(message: string, code: string): boolean {
  return unavailableStates.has(code) || code.startsWith('08') || unavailableSystemCodes.has(code) ||
    (code === '' && unavailableMessages.test(message));
}
