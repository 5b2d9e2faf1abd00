import type { Command } from 'commander';

const stopMs = 45_000;

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('Serve a generated sample and show what Vouch makes of it.')
    .option('--once', 'end after the tables instead of serving on')
    .addHelpText(
      'after',
      `
Keeps its own database in demo/ of the data folder (./data/demo) and its key there in the file key. The sample is made by the
program from a known model, so that right and wrong answers are known; it shows that everything works together, not how good
recommendations of real data are. A second run finds the trained model.`,
    )
    .action(async (options: { once?: boolean }) => {
      const { runDemo } = await import('../demo/runDemo.ts');
      const running = await runDemo();
      if (options.once) return running.stop();
      process.stdout.write(`\nServing on ${running.url} (interface: ${running.url}/docs). Ctrl-C ends it; the data stays.\n`);
      const { untilStopped } = await import('../terminal/untilStopped.ts');
      return untilStopped(running.stop, stopMs);
    });
}
