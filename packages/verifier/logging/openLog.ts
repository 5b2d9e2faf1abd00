import { humanLine } from '@vouch/platform/log/humanLine';
import { createLogger, type Logger } from '@vouch/platform/log/logger';
import { ConfigurationFault } from '../config/configurationFault.ts';
import type { LogSettings } from '../config/nodeConfiguration.ts';
import { RotatingFile } from './rotatingFile.ts';

/**
 * Opens the log of a node according to its configuration.
 * @param errors receives the log lines if no file is configured, and a message if the file later fails
 * @throws ConfigurationFault if the log file cannot be written
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
