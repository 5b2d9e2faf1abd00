import type { Experiment, ExperimentResults } from '@vouch/client/generated/schemas';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import { addServerFlags, callServer, type ServerFlags } from '../terminal/callServer.ts';
import { CommandFault } from '../terminal/commandFault.ts';
import { formatTable } from '../terminal/table.ts';

export function addExperiments(program: Command): void {
  const experiments = program.command('experiments').description('List, start, read and end the experiments of a running server.');
  addServerFlags(experiments.command('list').description('List the experiments, by id.'))
    .action((flags: ServerFlags) => callServer(flags, (client) => client.listExperiments(), describeExperiments));
  addServerFlags(experiments.command('show <id>').description('Print the definition of one experiment.'))
    .action((id: string, flags: ServerFlags) => callServer(flags, (client) => client.getExperiment({ id }), describeExperiment));
  addServerFlags(experiments.command('put <id> <file>').description('Start an experiment from a JSON file. Another definition of the same id starts over.'))
    .addHelpText('after', `
The file, or standard input for -, has the body of PUT /v1/recommender/experiments/{id}, for example:
  {"arms": {"a": {"model_id": "shop"}, "b": {"model_id": "shop", "boost": "item.margin"}}, "outcome": ["purchase"]}
docs/guides/recommendations.md describes the fields.`)
    .action(async (id: string, file: string, flags: ServerFlags) => {
      const definition = await readDefinition(file);
      await callServer(flags, (client) => client.putExperiment({ ...definition, id }), describeExperiment);
    });
  addServerFlags(experiments.command('results <id>').description('Print users, outcomes and the verdict so far, which may be read at any time.'))
    .action((id: string, flags: ServerFlags) => callServer(flags, (client) => client.getExperimentResults({ id }), describeResults));
  addServerFlags(experiments.command('delete <id>').description('End an experiment, and delete its users and outcomes.'))
    .action((id: string, flags: ServerFlags) => callServer(flags, (client) => client.deleteExperiment({ id }), (experiment) => `Deleted: ${describeExperiment(experiment)}`));
}

/** Reads a JSON object, whose fields the server checks. @throws CommandFault */
async function readDefinition(file: string): Promise<Omit<Experiment, 'experiment_id' | 'started_at'>> {
  const { readFile } = await import('node:fs/promises');
  const { text } = await import('node:stream/consumers');
  const source = file === '-' ? 'Standard input' : file;
  const content = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFault(exitCodes.input, `${source} cannot be read (${error.code ?? error.message}). Name a JSON file, or - for standard input.`);
  });
  const definition = parse(content);
  if (typeof definition === 'object' && definition !== null && !Array.isArray(definition)) return definition as Omit<Experiment, 'experiment_id' | 'started_at'>;
  throw new CommandFault(exitCodes.input, `${source} is not a JSON object. vouch experiments put --help has an example.`);
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}

function describeExperiments(experiments: readonly Experiment[]): string {
  if (experiments.length === 0) return 'The organization has no experiments. vouch experiments put starts one.';
  const rows = experiments.map(({ experiment_id: id, mode, share, arms, outcome, started_at: started }) => [id, mode, share, arms.a.model_id, arms.b.model_id, outcome.join(', '), started]);
  return formatTable('Experiments', ['id', 'mode', 'share of b', 'model a', 'model b', 'outcome', 'started'], rows);
}

function describeExperiment({ experiment_id: id, mode, share, arms, outcome, window_days: days, started_at: started }: Experiment): string {
  const arm = ({ model_id: model, filter, boost, rule }: Experiment['arms']['a']): string =>
    [`model ${model}`, ...(filter === null ? [] : [`filter ${filter}`]), ...(boost === null ? [] : [`boost ${boost}`]), ...(rule === null ? [] : [`rule ${rule}`])].join(', ');
  return [
    `${id} (${mode}), since ${started}`, `arm a: ${arm(arms.a)}`, `arm b: ${arm(arms.b)}`,
    `outcome: ${outcome.join(', ')}, within ${days} days${mode === 'split' ? `; share of arm b: ${share}` : ''}`,
  ].join('\n');
}

function describeResults({ experiment_id: id, arms, users, guardrails, verdict, warnings, counted_until: until }: ExperimentResults): string {
  const percent = (value: number | undefined): string => (value === undefined ? '' : `${(100 * value).toFixed(2)} %`);
  const rows = (['a', 'b'] as const).map((name) => {
    const { users: reached, conversions, rate } = arms[name];
    return [name, reached, conversions, percent(rate?.value), rate === null ? '' : `${percent(rate.low)} to ${percent(rate.high)}`];
  });
  return [
    verdict.text,
    formatTable(`Arms of ${id}`, ['arm', 'users', 'with an outcome', 'rate', '95 %'], rows),
    `Users: ${users.reached}${users.needed === null ? '' : ` of ${users.needed} needed`}. ${until === null ? 'Nothing is counted yet.' : `Counted until ${until}.`}`,
    ...guardrails.map(({ metric, types, status }) => `Guardrail ${[metric, ...types].join(' ')}: ${status}`),
    ...warnings.map(({ detail }) => `Warning: ${detail}`),
  ].join('\n');
}
