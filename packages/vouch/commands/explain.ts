import type { Explanation } from '@vouch/client/generated/schemas';
import type { Command } from 'commander';
import { addServerFlags, callServer, collectIds } from '../terminal/callServer.ts';
import { addListFlags, listOf, type ListFlags } from './recommend.ts';

interface ExplainFlags extends ListFlags {
  for?: string;
}

export function addExplain(program: Command): void {
  addServerFlags(addListFlags(program.command('explain <model> <item>').description('Print why a list has an item at its rank, or why not.')
    .option('--for <entity>', 'user or item that the list is for (default: the list of trending items)')
    .option('--history <ids>', 'items of a session, separated by commas, oldest first; an id with a comma in double quotes', collectIds)))
    .addHelpText('after', `
Use the same options as for vouch recommend. Example: vouch explain films f17 --for alice`)
    .action((model: string, item: string, { for: entity, history, ...flags }: ExplainFlags) => callServer(flags, (client) => {
      const list = { model_id: model, target_id: item, ...listOf(flags) };
      if (history === undefined) return client.explain({ ...list, ...(entity === undefined ? {} : { source_id: entity }) });
      return client.explainSession({ ...list, history: history.map((id) => ({ id })), ...(entity === undefined ? {} : { entity_id: entity }) });
    }, describeExplanation));
}

function describeExplanation({ model_id: model, model_version: version, target_id: item, listed, rank, score, reasons, causes }: Explanation): string {
  const place = `${rank === null ? '' : ` at rank ${rank}`}${score === null ? '' : ` with the score ${score.toFixed(3)}`}`;
  return [
    listed ? `The list has the item ${item}${place}.` : `The list does not have the item ${item}.${rank === null ? '' : ` Without the causes below, the item would be${place}.`}`,
    ...causes.map(({ text, rule }) => `Cause: ${text}${rule === undefined ? '' : ` (rule ${rule})`}`),
    ...reasons.map(({ text, share }) => `Reason: ${text} (${Math.round(share * 100)} %)`),
    ...(listed && reasons.length === 0 ? ['Nothing that can be named carries 5 % of its score.'] : []),
    `Model ${model}, version ${version}.`,
  ].join('\n');
}
