import { outputKinds } from '@vouch/video/engine/options/outputs';
import type { Command } from 'commander';
import type { SummaryFlags } from '../summarize/parseSummaryOptions.ts';

interface Options extends SummaryFlags {
  out?: string;
  json?: boolean;
}

export function addSummarize(program: Command): void {
  program
    .command('summarize <media>')
    .description('Make a preview of a video file or URL, without a server.')
    .option('--duration <seconds>', 'length of the preview (30)')
    .option('--ratio <share>', 'length as a fraction of the video, such as 0.1; instead of --duration')
    .option('--out <folder>', 'folder for the files (default: name of the video with -preview)')
    .option('--outputs <kinds>', `${outputKinds.join(', ')}, separated by commas (mp4,poster,storyboard,keyframes)`)
    .option('--analysis <tier>', 'auto, fast, balanced or accurate (auto)')
    .option('--segments <number>', 'maximum number of segments')
    .option('--order <order>', 'chronological or importance (chronological)')
    .option('--width <pixels>', 'width of the preview (default: the longer side has at most 1280 pixels)')
    .option('--height <pixels>', 'height of the preview')
    .option('--aspect <ratios>', 'aspect ratios of the previews, such as 16:9,1:1,9:16 (default: aspect ratio of the video)')
    .option('--framing <how>', 'crop or pad: how previews get another aspect ratio (crop)')
    .option('--fps <rate>', 'frames per second (default: frame rate of the video)')
    .option('--no-audio', 'omit the sound')
    .option('--crossfade <seconds>', 'length of the crossfade between segments (0)')
    .option('--subtitles <file|url>', 'SubRip or WebVTT subtitles, for titles and key sentences')
    .option('--burn-captions', 'draw the subtitles into the pictures of the preview')
    .option('--options <json>', 'other options of the HTTP interface as JSON, such as \'{"exclude_end":"5%"}\'')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Writes the preview, a poster, the storyboard (sprite and WebVTT), a key frame of each segment, and report.html, which shows the chosen
segments and posters with their reasons. The command fetches URLs under the rules of the HTTP interface: URLs with private IP addresses only if
VOUCH_ALLOW_PRIVATE_ADDRESSES names them. Exits with 2 if an option is wrong, with 3 if the media cannot be used. Ctrl-C leaves no files
behind. vouch sample writes a video to try the command with.`,
    )
    .action(summarize);
}

async function summarize(media: string, { out: folder, json, ...flags }: Options): Promise<void> {
  const { runStoppable } = await import('../terminal/stopWithSignals.ts');
  await runStoppable((signal) => summarizeInto(media, { folder, json: json === true, flags, signal }), () => 'Stopped; no files were left behind.');
}

interface Wish {
  folder: string | undefined;
  json: boolean;
  flags: SummaryFlags;
  signal: AbortSignal;
}

async function summarizeInto(media: string, { folder, json, flags, signal }: Wish): Promise<void> {
  const { resolve } = await import('node:path');
  const { createOutbound } = await import('@vouch/platform/outbound/createOutbound');
  const { systemInterfaces } = await import('@vouch/platform/process/systemInterfaces');
  const { parseSummaryOptions } = await import('../summarize/parseSummaryOptions.ts');
  const { defaultFolder } = await import('../summarize/mediaName.ts');
  const { describeSummary, summaryToJson } = await import('../summarize/printSummary.ts');
  const { summarizeMedia } = await import('../summarize/summarizeMedia.ts');
  const { openProgressBar } = await import('../terminal/progressBar.ts');
  const { loadVideoSettings } = await import('../summarize/loadVideoSettings.ts');
  const options = parseSummaryOptions(flags);
  const { settings, allowPrivateAddresses } = loadVideoSettings();
  const out = resolve(folder ?? defaultFolder(media));
  const outbound = createOutbound({ allowPrivateAddresses }, systemInterfaces.timers);
  const bar = openProgressBar(process.stderr, systemInterfaces.clock);
  try {
    const summary = await summarizeMedia({
      media, options, subtitles: flags.subtitles ?? options.subtitles_url ?? null, out, settings, outbound, system: systemInterfaces, signal, progress: bar.show,
      note: (text) => {
        bar.clear();
        process.stderr.write(`${text}\n`);
      },
    });
    bar.clear();
    process.stdout.write(json ? `${JSON.stringify(summaryToJson(summary))}\n` : describeSummary(summary, out));
  } finally {
    bar.clear();
    await outbound.close();
  }
}
