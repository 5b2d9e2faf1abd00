import type { Client } from '@vouch/client/client';
import type { Recommendations } from '@vouch/client/generated/schemas';
import { nearestName } from '@vouch/platform/config/nearestName';
import type { Command } from 'commander';
import { addServerFlags, callServer, collectIds, parseWithin, type ServerFlags } from '../terminal/callServer.ts';
import { formatTable } from '../terminal/table.ts';

/** Options of a list, which `recommend` and `explain` share. */
export interface ListFlags extends ServerFlags {
  history?: string[];
  number?: number;
  threshold?: number;
  type?: string[];
  filter?: string;
  boost?: string;
}

interface RecommendFlags extends ListFlags {
  reasons: boolean;
}

export function addRecommend(program: Command): void {
  addServerFlags(addListFlags(program.command('recommend <model> [entity]').description('Print recommendations for a user, an item or a session, with reasons.')
    .option('--history <ids>', 'items of a session, separated by commas, oldest first; an id with a comma in double quotes', collectIds)
    .option('--no-reasons', 'leave the reasons out')))
    .addHelpText('after', `
For a user, the list has items based on their history; for an item, related items; with --history, items for the session. Without all of these,
the list has trending items. <model> is the id of a model or of an experiment. Example:
  vouch recommend films alice --number 5 --filter 'item.year > 1990'`)
    .action((model: string, entity: string | undefined, { history, reasons, ...flags }: RecommendFlags) => {
      let faults = '';
      return callServer(flags, async (client) => {
        const list = await client.recommend({
          model_id: model, explain: reasons, ...(entity === undefined ? {} : { entity_id: entity }), ...(history === undefined ? {} : { history: history.map((id) => ({ id })) }), ...listOf(flags),
        });
        faults = [await explainTypes(client, list.model_id, list.unknown_types ?? []), ...(list.warnings ?? []).map(({ detail }) => ` ${detail}`)].join('');
        return list;
      }, (list) => describeList(list, reasons, faults));
    });
}

/** Names the types that the data of the model does not have; empty if there are none, or if the data is not known. */
async function explainTypes(client: Client, model: string, wanted: readonly string[]): Promise<string> {
  if (wanted.length === 0) return '';
  const { data } = await client.getTraining({ model_id: model }).catch(() => ({ data: null }));
  const known = Object.keys(data?.entities.by_type ?? {});
  // The record has the most frequent types only.
  if (data === null || data.entities.types > known.length) return '';
  return wanted.filter((type) => !known.includes(type)).map((type) => {
    const nearest = nearestName(type, known);
    const types = known.length === 0 ? '; its entities have no types.' : `; its types are ${known.slice(0, 10).join(', ')}${known.length > 10 ? ', …' : ''}.`;
    return ` The data of the model has no type ${JSON.stringify(type)}${nearest === null ? types : `. Did you mean ${JSON.stringify(nearest)}?`}`;
  }).join('');
}

/** Adds the options that select the items of a list. */
export function addListFlags(command: Command): Command {
  return command
    .option('--number <count>', 'maximum number of items', parseWithin('an integer', 1, 10_000))
    .option('--threshold <score>', 'minimum score, 0 to 1', parseWithin('a number', 0, 1))
    .option('--type <types>', 'types of the recommended items, separated by commas', collectIds)
    .option('--filter <expression>', 'expression that is true for the items to recommend')
    .option('--boost <expression>', 'expression by which scores are multiplied');
}

/** The fields of a request; an absent option is an absent field. */
export function listOf({ number, threshold, type, filter, boost }: ListFlags): { max_recommendations?: number; threshold?: number; entity_type?: string[]; filter?: string; boost?: string } {
  return {
    ...(number === undefined ? {} : { max_recommendations: number }), ...(threshold === undefined ? {} : { threshold }), ...(type === undefined ? {} : { entity_type: type }),
    ...(filter === undefined ? {} : { filter }), ...(boost === undefined ? {} : { boost }),
  };
}

/**
 * @param explained whether the reasons were asked for
 * @param faults sentences about types that the model does not have and about the filter, each after a blank
 */
function describeList({ model_id: model, model_version: version, rules = [], unknown_ids: unknown, recommendations }: Recommendations, explained: boolean, faults: string): string {
  const without = explained ? 'Nothing that can be named carries 5 % of the score.' : '';
  const rows = recommendations.map(({ rank, score, target_id: id, name, reasons: [first] }) => [rank, score.toFixed(3), id, name ?? '', first?.text ?? without]);
  return [
    rows.length === 0 ? `No item passes.${faults || ' vouch explain states why the list does not have an item.'}` : formatTable('', ['rank', 'score', 'id', 'name', 'why'], rows),
    `Model ${model}, version ${version}.${rules.length === 0 ? '' : ` Rules in force: ${rules.join(', ')}.`}${unknown.length === 0 ? '' : ` Unknown to the model: ${unknown.join(', ')}.`}${rows.length === 0 ? '' : faults}`,
  ].join('\n');
}
