import { Cron } from 'croner';

/**
 * Next time in ms at which a cron expression with five fields is due, after a given time. Where the clock of the time zone is set forward, a time that does
 * not exist is due after the change; where the clock is set back, a time that occurs twice is due once.
 * @returns null if the expression is never due again
 * @throws an error if the expression or the time zone is invalid
 */
export function nextDue(cron: string, timezone: string, afterMs: number): number | null {
  return new Cron(cron, { mode: '5-part', timezone, paused: true }).nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** Returns whether a text is the name of an IANA time zone. */
export function isTimezone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
