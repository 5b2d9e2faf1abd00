import { createLogger, type Logger } from '@vouch/platform/log/logger';
import type { SimulatedProcess } from './simulatedProcess.ts';

/** Creates a logger of a process whose warnings and errors become lines of the story. */
export function tellLog(process: SimulatedProcess): Logger {
  return createLogger('warn', {
    write(line: string): void {
      const { msg, reason, err } = JSON.parse(line) as { msg: string; reason?: string; err?: { message: string } };
      const why = reason ?? err?.message;
      process.simulation.story.tell(process.name, `logs: ${msg}${why === undefined ? '' : ` (${why.slice(0, 100)})`}`);
    },
  });
}
