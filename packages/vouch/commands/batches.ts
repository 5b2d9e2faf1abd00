import type { Client } from '@vouch/client/client';
import type { Batch } from '@vouch/client/generated/schemas';
import type { VouchError } from '@vouch/client/problem';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import { addServerFlags, callServer, collectWords, type ServerFlags } from '../terminal/callServer.ts';
import { CommandFault } from '../terminal/commandFault.ts';
import { runStoppable } from '../terminal/stopWithSignals.ts';
import { formatTable } from '../terminal/table.ts';
import { withProgress } from '../terminal/withProgress.ts';

type UploadFile = Parameters<Client['uploadBatches']>[0][number];

interface BatchFlags extends ServerFlags {
  tag?: string[];
}

const ofTags = ['--tag <tags>', 'tags separated by commas; a batch is selected if it has all of them', collectWords] as const;

export function addBatches(program: Command): void {
  const batches = program.command('batches').description('Upload, list and delete the CSV files of a running server.');
  addServerFlags(batches.command('list').description('List the batches, one for each uploaded file.').option(...ofTags))
    .action((flags: BatchFlags) => callServer(flags, (client) => client.listBatches({ ...tagsOf(flags) }), (found) => describeFound(found, flags)));
  addServerFlags(batches.command('upload <files...>').description('Upload CSV files, plain or gzip. The server stores all of them, or none.')
    .option('--tag <tags>', 'tags for the batches, separated by commas', collectWords))
    .addHelpText('after', `
The header of a file determines its kind: entities have id,type,name,metadata,media_url, interactions have
type,source_id,target_id,timestamp,metadata. If a row is wrong, the command names its line and column, and exits with 3.`)
    .action(async (files: string[], flags: BatchFlags) => {
      const opened = await Promise.all(files.map(openFile));
      await callServer(flags, (client) => upload(client, opened, flags.tag ?? []), describeBatches);
    });
  addServerFlags(batches.command('delete [id]').description('Delete one batch, or the batches with all of the tags. Models that were trained with them stay.').option(...ofTags))
    .action((id: string | undefined, flags: BatchFlags) => callServer(flags, (client) => client.deleteBatches({ ...(id === undefined ? {} : { batch_id: id }), ...tagsOf(flags) }),
      (deleted) => (deleted.length === 0 ? 'No batch matches; nothing was deleted.' : `Deleted:\n${describeBatches(deleted)}`)));
}

function upload(client: Client, files: readonly UploadFile[], tags: readonly string[]): Promise<Batch[]> {
  let isSent = false;
  return runStoppable((signal) => withProgress((show) => client.uploadBatches(files, {
    tags, signal,
    onProgress: ({ sentBytes, totalBytes }) => {
      if (sentBytes === totalBytes) isSent = true;
      show('upload', totalBytes === null ? 0 : sentBytes / totalBytes);
    },
  })).catch(nameFaults), () => `Stopped; ${isSent ? 'all files were sent, and vouch batches list shows whether the server has stored them' : 'nothing was stored'}.`);
}

function tagsOf({ tag }: BatchFlags): { tags?: string[] } {
  return tag === undefined ? {} : { tags: tag };
}

/** Opens a file without reading it. @throws CommandFault */
async function openFile(path: string): Promise<UploadFile> {
  const [{ openAsBlob }, { stat }, { basename }] = await Promise.all([import('node:fs'), import('node:fs/promises'), import('node:path')]);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFault(exitCodes.input, `${path} cannot be read (${error.code ?? error.message}). Name CSV files.`);
  });
  if (!found.isFile()) throw new CommandFault(exitCodes.input, `${path} is not a file. Name CSV files.`);
  return { name: basename(path), content: await openAsBlob(path) };
}

const maxNamedFaults = 20;

/** Adds the faulty rows to the message of a refused upload. */
function nameFaults(error: unknown): never {
  if (error instanceof Error && error.name === 'VouchError') {
    const { errors } = error as VouchError;
    const rows = errors.length < 2 ? [] : errors.slice(0, maxNamedFaults).map(({ location, line, column, detail }) =>
      `  ${[location.replace(/^file:/, ''), ...(line === undefined ? [] : [`line ${line}`]), ...(column === undefined ? [] : [column])].join(', ')}: ${detail}`);
    error.message = [error.message, ...rows, ...(errors.length > maxNamedFaults ? [`  and ${errors.length - maxNamedFaults} more`] : [])].join('\n');
  }
  throw error;
}

function describeFound(batches: readonly Batch[], { tag = [] }: BatchFlags): string {
  if (batches.length > 0 || tag.length === 0) return describeBatches(batches);
  return `No batch has ${tag.length === 1 ? 'the tag' : 'all of the tags'} ${tag.map((each) => JSON.stringify(each)).join(', ')}. vouch batches list without --tag lists all batches with their tags.`;
}

function describeBatches(batches: readonly Batch[]): string {
  if (batches.length === 0) return 'There are no batches. vouch batches upload makes them from CSV files.';
  const rows = batches.map(({ batch_id: id, timestamp, tags, entity_count: entities, interaction_count: interactions }) => [id, timestamp, tags.join(', '), entities, interactions]);
  return formatTable('Batches', ['id', 'uploaded', 'tags', 'entities', 'interactions'], rows);
}
