import type { Command } from 'commander';

const stopMs = 45_000;

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('Run every product on generated sample data, then serve the results.')
    .option('--once', 'end after the results instead of serving them')
    .addHelpText(
      'after',
      `
The demo takes one to two minutes; a repeated demo takes half of that, because the trained model is kept. The demo has its own database
and files in demo/ of the data folder (./data/demo), and its API key in the file key there. Vouch generates the sample data from a
known model, so that the correct answers are known. The demo shows that all parts work together; it does not measure the quality
of recommendations on real data. vouch sample writes the same data to files.`,
    )
    .action(async (options: { once?: boolean }) => {
      const { runDemo } = await import('../demo/runDemo.ts');
      const running = await runDemo();
      if (options.once) return running.stop();
      const { describeConsole } = await import('../terminal/signInLink.ts');
      const lines = running.suggestions.map(({ purpose, commandLine }) => `  ${purpose}:\n    ${commandLine}\n`);
      process.stdout.write(`\nThe demo serves on ${running.url} until you press Ctrl-C (documentation: ${running.url}/docs).\n${await describeConsole(running, process.stdout.isTTY)}\nTry:\n${lines.join('')}`);
      const { untilStopped } = await import('../terminal/untilStopped.ts');
      return untilStopped(running.stop, stopMs);
    });
}
