import type { ExitCode } from '@vouch/platform/process/exitCodes';

/** Thrown when a command cannot do its work. Carries an explanation for people and the exit code. */
export class CommandFault extends Error {
  override readonly name = 'CommandFault';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
