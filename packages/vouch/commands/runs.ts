import type { Client } from '@vouch/client/client';
import type { Run, SummaryOptionsRequest } from '@vouch/client/generated/schemas';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import { addServerFlags, callServer, parseNumber, type ServerFlags } from '../terminal/callServer.ts';
import { CommandFault } from '../terminal/commandFault.ts';
import { runStoppable } from '../terminal/stopWithSignals.ts';
import { formatTable } from '../terminal/table.ts';
import { withProgress } from '../terminal/withProgress.ts';

interface StartFlags extends ServerFlags {
  duration?: number;
  ratio?: number;
  options?: string;
  cache?: string;
  wait: boolean;
}

export function addRuns(program: Command): void {
  const runs = program.command('runs').description('Start, list and cancel the video summaries of a running server.');
  addServerFlags(runs.command('list').description('List the newest runs.').option('--number <count>', 'maximum number of runs', parseNumber, 20))
    .action((flags: ServerFlags & { number: number }) => callServer(flags, (client) => client.listRuns({ limit: flags.number }), describeRuns));
  addServerFlags(runs.command('show <run>').description('Print one run: its state, its segments and the URLs of its files.'))
    .action((run: string, flags: ServerFlags) => callServer(flags, (client) => client.getRun({ run_id: run }), describeRun));
  addServerFlags(runs.command('start <media>').description('Summarize the video at a URL, and wait until the run ends.')
    .option('--duration <seconds>', 'length of the preview', parseNumber)
    .option('--ratio <share>', 'length as a fraction of the video, such as 0.1; instead of --duration', parseNumber)
    .option('--options <json>', 'other options as JSON, such as \'{"outputs":["mp4","poster"]}\'')
    .option('--cache <run>', 'reuse the analysis of an earlier run of the same video')
    .option('--no-wait', 'return when the run is queued'))
    .addHelpText('after', `
<media> is an http or https URL that the server can reach, or upload:ID of a complete upload (POST /v1/uploads). docs/guides/video-options.md
lists the options. Ctrl-C ends the wait and not the run; vouch runs cancel ends the run. vouch summarize needs no server.`)
    .action((media: string, flags: StartFlags) => callServer(flags, (client) => start(client, media, flags), describeRun));
  addServerFlags(runs.command('cancel <run>').description('Stop a run.'))
    .action((run: string, flags: ServerFlags) => callServer(flags, (client) => client.cancelRun({ run_id: run }), describeRun));
}

async function start(client: Client, media: string, flags: StartFlags): Promise<Run> {
  const run = await client.createSummarization({ media_url: media, options: optionsOf(flags), ...(flags.cache === undefined ? {} : { cache_id: flags.cache }) });
  if (!flags.wait) return run;
  const { run_id: id } = run;
  return runStoppable(
    (signal) => withProgress((show) => client.waitForRun(id, { signal, onProgress: (now) => show(now.stage ?? `queued${describeQueue(now)}`, now.progress) })),
    () => `The run ${id} continues. vouch runs show ${id} prints its state; vouch runs cancel ${id} ends it.`,
  );
}

/** @throws CommandFault if `--options` is not a JSON object */
function optionsOf({ duration, ratio, options }: StartFlags): NonNullable<SummaryOptionsRequest> {
  const others = options === undefined ? {} : parse(options);
  if (typeof others !== 'object' || others === null || Array.isArray(others)) {
    throw new CommandFault(exitCodes.usage, `--options is ${JSON.stringify(options)}; it must be a JSON object such as '{"outputs":["mp4"]}'.`);
  }
  return { ...others, ...(duration === undefined ? {} : { duration }), ...(ratio === undefined ? {} : { ratio }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function describeRuns(runs: readonly Run[]): string {
  if (runs.length === 0) return 'There are no runs. vouch runs start summarizes a video.';
  const rows = runs.map((run) => [run.run_id, `${run.status}${describeQueue(run)}`, `${Math.floor(run.progress * 100)} %`, run.segments.length, run.created_at, run.media_url]);
  return formatTable('Runs', ['id', 'status', 'progress', 'segments', 'created', 'video'], rows);
}

/** The place of a run in the queue, after the word queued: `, 3 runs ahead`. Empty for the first run, for others, and from servers of earlier releases. */
function describeQueue({ runs_ahead: ahead }: Run): string {
  return ahead ? `, ${ahead} ${ahead === 1 ? 'run' : 'runs'} ahead` : '';
}

function describeRun(run: Run): string {
  const { run_id: id, status, stage, progress, waiting, source, segments, outputs, warnings, error } = run;
  const at = status === 'running' ? ` (${stage ?? 'starting'}, ${Math.floor(progress * 100)} %)` : describeQueue(run);
  return [
    `The run ${id}: ${status}${at}.`,
    ...(source === null ? [] : [`Video: ${source.duration.toFixed(1)} s, ${source.width} × ${source.height}, ${source.codec}.`]),
    ...(waiting === null ? [] : [waiting.detail]),
    ...(segments.length === 0 ? [] : [formatTable('Segments', ['from', 'to', 'score', 'reasons'], segments.map(({ start: from, end, score, reasons }) =>
      [from.toFixed(2), end.toFixed(2), score.toFixed(2), reasons.map(({ kind }) => kind).join(', ')]))]),
    ...(outputs.length === 0 ? [] : ['Files, for 24 hours without a key:', ...outputs.map(({ kind, url }) => `  ${kind}  ${url}`)]),
    ...(error === null ? [] : [`Error ${error.code}: ${error.detail}`]),
    ...warnings.map(({ detail }) => `Warning: ${detail}`),
  ].join('\n');
}
