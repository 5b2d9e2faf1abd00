import { BackupFault } from '../backup/manifest.ts';
import { ConfigurationError } from '@vouch/platform/config/loadConfiguration';
import { DatabaseFault } from '@vouch/platform/database/databaseFault';
import { Problem } from '@vouch/platform/errors/problem';

/** What a person reads where a command fails: sentences for what we expect, the stack for what we do not. */
export function describeFailure(error: unknown): string {
  if (error instanceof Problem) return error.detail;
  if (error instanceof ConfigurationError || error instanceof DatabaseFault || error instanceof BackupFault) return error.message;
  if (!(error instanceof Error)) return String(error);
  const expected = 'code' in error || error.constructor === Error;
  return expected && process.env['VOUCH_LOG_LEVEL'] !== 'debug' ? error.message : (error.stack ?? error.message);
}
