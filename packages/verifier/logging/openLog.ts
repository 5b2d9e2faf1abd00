import { humanLine } from '@vouch/platform/log/humanLine';
import { createLogger, type Logger } from '@vouch/platform/log/logger';
import { ConfigurationFault } from '../config/configurationFault.ts';
import type { LogSettings } from '../config/nodeConfiguration.ts';
import { RotatingFile } from './rotatingFile.ts';

/**
 * The log of a node as its configuration says.
 * @param errors where lines go unless there is a file
 * @throws ConfigurationFault where the file cannot be written
 */
export function openLog({ format, level, path }: LogSettings, errors: { write(text: string): unknown }): Logger {
  const out = path === null ? errors : openFile(path, (sentence) => void errors.write(`verifier: ${sentence}\n`));
  return createLogger(level, { write: (line) => void out.write(format === 'json' ? line : humanLine(line)) });
}

function openFile(path: string, failed: (sentence: string) => void): RotatingFile {
  try {
    return new RotatingFile(path, failed);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown failure';
    throw new ConfigurationFault([{ where: 'log.path', sentence: `the log cannot be written to ${path} (${code}).` }]);
  }
}
