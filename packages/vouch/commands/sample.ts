import type { Command } from 'commander';

export function addSample(program: Command): void {
  program
    .command('sample <folder>')
    .description('Write sample files to try Vouch with: films and views as CSV, and a video.')
    .addHelpText(
      'after',
      `
Writes films.csv (400 films and 1,200 users), views.csv (40,000 views and purchases of the last 180 days) and clip.mp4 (83 s). Replaces
files of these names. The video needs an installed ffmpeg 5.1 or newer, or the npm package node-av; without both, the command writes
the CSV files and says so.`,
    )
    .action(async (folder: string) => {
      const { writeSample } = await import('../demo/writeSample.ts');
      await writeSample(folder, (line) => void process.stdout.write(`${line}\n`));
    });
}
