import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { SecretStream } from '../keys/secretInput.ts';
import { SecretInput } from '../keys/secretInput.ts';
import type { FlagName } from './flags.ts';

/** Streams and system interfaces of the process. */
export interface Surroundings {
  input: SecretStream;
  /** Receives results. */
  output: { write(text: string): unknown };
  /** Receives prompts, warnings and errors. */
  errors: { write(text: string): unknown };
  system: SystemInterfaces;
  /** Aborts when the process receives a stop signal. */
  stop: AbortSignal;
}

/** Input of a command. */
export interface Call extends Surroundings {
  given: ReadonlyMap<FlagName, string | true>;
  /** The word after the command's name; empty if the command takes none. */
  argument: string;
  secrets: SecretInput;
  /** Writes a warning to standard error; the command continues. */
  warn(sentence: string): void;
}

export interface Command {
  /** Name on the command line, such as `keystore new`; empty for the program without a command. */
  name: string;
  summary: string;
  /** Accepted flags; all others are rejected. */
  flags: readonly FlagName[];
  /** Required flags. */
  required?: readonly FlagName[];
  /** Name of the required word after the command's name, such as `attestation`. */
  argument?: string;
  /** @returns the exit code */
  run(call: Call): Promise<number>;
}

/** Returns the value of a flag; undefined if the flag is absent. */
export function textOf(call: Call, flag: FlagName): string | undefined {
  const value = call.given.get(flag);
  return typeof value === 'string' ? value : undefined;
}
