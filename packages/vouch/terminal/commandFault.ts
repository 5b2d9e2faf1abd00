import type { ExitCode } from '@vouch/platform/process/exitCodes';

/** A command that cannot do its work, with a sentence for people and how the program ends. */
export class CommandFault extends Error {
  override readonly name = 'CommandFault';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
