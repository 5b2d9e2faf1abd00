import { ChildFailed } from '../process/childEnd.ts';

/**
 * Describes an unexpected error for the caller of a job, or one of its causes, as the rest of a sentence: an ended program, a system call, or a
 * statement. Other messages may contain addresses, paths and values, so they stay in the log.
 * @returns null if the caller may be told nothing about the error
 */
export function nameFault(error: unknown): string | null {
  for (let fault = error, depth = 0; fault instanceof Error && depth < 5; fault = fault.cause, depth += 1) {
    if (fault instanceof ChildFailed) return fault.message;
    const { code, syscall, severity } = fault as { code?: unknown; syscall?: unknown; severity?: unknown };
    if (typeof code !== 'string') continue;
    if (/^E[A-Z0-9]{2,20}$/.test(code) && typeof syscall === 'string' && /^\w{1,20}$/.test(syscall)) return `the system refused “${syscall}” with ${code}`;
    if (/^[0-9A-Z]{5}$/.test(code) && severity !== undefined) return `PostgreSQL refused a statement with SQLSTATE ${code}`;
  }
  return null;
}
