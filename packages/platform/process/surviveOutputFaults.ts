import { exitCodes } from './exitCodes.ts';

/**
 * Keeps this process running if its output cannot be written, for example because the disk of a file or the quota of a folder is full, or because the reader of a
 * pipe exits early (vouch demo | head): a command still ends in order, stops its database and returns its jobs to the queue, and a server serves without its log.
 * A fault of standard output, except for a pipe without a reader, is told once on standard error, and the process exits with `failed`.
 * @param program name of the program, at the beginning of the sentence
 */
export function surviveOutputFaults(program: string): void {
  process.stderr.on('error', () => {});
  let isTold = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isTold) return;
    isTold = true;
    process.stderr.write(`${program}: standard output cannot be written, so its text is incomplete: ${message}. Free space or write to another file, and run the command again.\n`);
    process.once('exit', () => { process.exitCode ||= exitCodes.failed; });
  });
}
