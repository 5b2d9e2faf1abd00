import type { Rule, RulePreview } from '@vouch/client/generated/schemas';
import type { Command } from 'commander';
import { addServerFlags, callServer, type ServerFlags } from '../terminal/callServer.ts';
import { formatTable } from '../terminal/table.ts';

interface RuleFlags extends ServerFlags {
  filter?: string;
  boost?: string;
  model?: string;
  from?: string;
  until?: string;
  disabled?: boolean;
}

export function addRules(program: Command): void {
  const rules = program.command('rules').description('List, make, preview and delete the business rules of a running server.');
  addServerFlags(rules.command('list').description('List the rules, by name.'))
    .action((flags: ServerFlags) => callServer(flags, (client) => client.listRules(), describeRules));
  addServerFlags(rules.command('show <name>').description('Print one rule.'))
    .action((name: string, flags: ServerFlags) => callServer(flags, (client) => client.getRule({ name }), describeRule));
  addServerFlags(addRuleFlags(rules.command('put <name>').description('Make a rule, or replace the rule of this name as a whole.')).option('--disabled', 'keep the rule without applying it'))
    .addHelpText('after', `
Give --filter or --boost, or both. Example: vouch rules put in-stock --filter 'item.stock > 0'. docs/guides/filters.md describes expressions.`)
    .action((name: string, flags: RuleFlags) => callServer(flags, (client) => client.putRule({ name, ...ruleOf(flags), enabled: flags.disabled !== true }), describeRule));
  addServerFlags(addRuleFlags(rules.command('preview <name>').description('Print what a rule would have changed in the latest 1,000 answers. Nothing is stored.')))
    .addHelpText('after', '\nWithout --filter and --boost, previews the stored rule of this name, whether or not it is enabled.')
    .action((name: string, flags: RuleFlags) => callServer(flags, (client) => client.previewRule({ name, ...ruleOf(flags) }), describePreview));
  addServerFlags(rules.command('delete <name>').description('Delete a rule, which no longer applies.'))
    .action((name: string, flags: ServerFlags) => callServer(flags, (client) => client.deleteRule({ name }), (rule) => `Deleted: ${describeRule(rule)}`));
}

function addRuleFlags(command: Command): Command {
  return command
    .option('--filter <expression>', 'expression that is true for the items that lists keep')
    .option('--boost <expression>', 'expression by which scores are multiplied')
    .option('--model <id>', 'apply only to the lists of this model (default: all models)')
    .option('--from <time>', 'apply from this time on, such as 2026-12-01T00:00:00Z')
    .option('--until <time>', 'apply before this time');
}

/** The rule of the options; an absent option is an absent field. */
function ruleOf({ filter, boost, model, from, until }: RuleFlags): { filter?: string; boost?: string; model_id?: string; valid_from?: string; valid_until?: string } {
  return {
    ...(filter === undefined ? {} : { filter }), ...(boost === undefined ? {} : { boost }), ...(model === undefined ? {} : { model_id: model }),
    ...(from === undefined ? {} : { valid_from: from }), ...(until === undefined ? {} : { valid_until: until }),
  };
}

function describeRules(rules: readonly Rule[]): string {
  if (rules.length === 0) return 'The organization has no rules. vouch rules put makes one.';
  const rows = rules.map(({ name, status, model_id: model, filter, boost, warnings }) => [name, status, model ?? 'all', filter ?? '', boost ?? '', warnings.length]);
  return formatTable('Rules', ['name', 'status', 'model', 'filter', 'boost', 'warnings'], rows);
}

function describeRule({ name, status, model_id: model, filter, boost, valid_from: from, valid_until: until, warnings }: Rule): string {
  return [
    `${name} (${status}), for ${model === null ? 'the lists of all models' : `the lists of the model ${model}`}`,
    ...(filter === null ? [] : [`filter: ${filter}`]),
    ...(boost === null ? [] : [`boost: ${boost}`]),
    ...(from === null ? [] : [`from: ${from}`]),
    ...(until === null ? [] : [`until: ${until}`]),
    ...warnings.map(({ model_id: id, model_version: version, detail }) => `Warning for version ${version} of the model ${id}: ${detail}`),
  ].join('\n');
}

function describePreview(preview: RulePreview): string {
  const { name, answers, changed, items_removed: removed, items_added: added, items_moved: moved, lists_emptied: emptied, removed_items: items, warnings } = preview;
  const incomplete = preview.is_complete ? '' : ' The time of 20 seconds was over before all recorded answers were compared.';
  return [
    answers === 0 ? `No recorded answer can be compared with the rule ${name}. Answers of recommend, related_items and trending_items are recorded for previews.` :
      `The rule ${name} changes ${changed} of the latest ${answers} answers: ${removed} items leave lists, ${added} follow up, ${moved} move, and ${emptied} lists become empty.${incomplete}`,
    ...(items.length === 0 ? [] : [formatTable('Items that most lists lose', ['id', 'name', 'lists'], items.map(({ id, name: called, lists }) => [id, called ?? '', lists]))]),
    ...warnings.map(({ model_id: id, model_version: version, detail }) => `Warning for version ${version} of the model ${id}: ${detail}`),
  ].join('\n');
}
