import closeWithGrace from 'close-with-grace';

/**
 * Runs until SIGTERM, SIGINT or an uncaught error, then `stop`, at most `delayMs`; a second signal ends at once.
 * The exit code is 1 after an error.
 */
export function untilStopped(stop: () => Promise<void>, delayMs: number): void {
  closeWithGrace({ delay: delayMs }, async ({ err }) => {
    if (err !== undefined) process.stderr.write(`vouch: ${err.stack ?? err.message}\n`);
    await stop();
  });
}
