import type { SystemInterfaces } from '@vouch/platform/process/doors';
import type { SecretStream } from '../keys/secretInput.ts';
import { SecretInput } from '../keys/secretInput.ts';
import type { FlagName } from './flags.ts';

/** What a process has around it. */
export interface Surroundings {
  input: SecretStream;
  /** Results. */
  output: { write(text: string): unknown };
  /** Questions, warnings and faults. */
  errors: { write(text: string): unknown };
  doors: SystemInterfaces;
  /** Aborts when the process is told to stop. */
  stop: AbortSignal;
}

/** What a command gets. */
export interface Call extends Surroundings {
  given: ReadonlyMap<FlagName, string | true>;
  /** What stands behind the command's name; empty where it takes nothing there. */
  argument: string;
  secrets: SecretInput;
  /** A line on standard error that stops nothing. */
  warn(sentence: string): void;
}

export interface Command {
  /** `keystore new`; empty for the program without a command. */
  name: string;
  summary: string;
  /** Those that it understands; others are refused. */
  flags: readonly FlagName[];
  /** Those without which it cannot run. */
  required?: readonly FlagName[];
  /** Name of the one word that has to stand behind the command's: `attestation`. */
  argument?: string;
  /** @returns the exit code */
  run(call: Call): Promise<number>;
}

/** The text of a flag; undefined where it is not given. */
export function textOf(call: Call, flag: FlagName): string | undefined {
  const value = call.given.get(flag);
  return typeof value === 'string' ? value : undefined;
}
