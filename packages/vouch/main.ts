import type { SettingEntry } from '@vouch/platform/config/loadConfiguration';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { surviveOutputFaults } from '@vouch/platform/process/surviveOutputFaults';
import { Command, CommanderError } from 'commander';
import { addBackup } from './commands/backup.ts';
import { addBatches } from './commands/batches.ts';
import { addBlobs } from './commands/blobs.ts';
import { addConformance } from './commands/conformance.ts';
import { addConsoleCommand } from './commands/console.ts';
import { addContracts } from './commands/contracts.ts';
import { addDemo } from './commands/demo.ts';
import { addDevnet } from './commands/devnet.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExperiments } from './commands/experiments.ts';
import { addExplain } from './commands/explain.ts';
import { addGateway } from './commands/gateway.ts';
import { addKeys } from './commands/keys.ts';
import { addMigrate } from './commands/migrate.ts';
import { addModels } from './commands/models.ts';
import { addRecommend } from './commands/recommend.ts';
import { addRestore } from './commands/restore.ts';
import { addRules } from './commands/rules.ts';
import { addRuns } from './commands/runs.ts';
import { addSample } from './commands/sample.ts';
import { addServe } from './commands/serve.ts';
import { addSupportBundle } from './commands/supportBundle.ts';
import { addSummarize } from './commands/summarize.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { addWorker } from './commands/worker.ts';
import { explainUsage } from './terminal/explainUsage.ts';
import { classifyFailure } from './terminal/classifyFailure.ts';
import { version } from './wiring/version.ts';

surviveOutputFaults('vouch');

const program = new Command('vouch')
  .description('Self-hosted recommendations, video previews and message relaying, with explanations.')
  .version(version, '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .helpCommand('help [command]', 'print the help of a command')
  // The code below prints command-line errors in the same way as all other errors. Subcommands inherit both settings.
  .configureOutput({ outputError: () => {} })
  .exitOverride()
  .addHelpText(
    'after',
    `
Start here:
  vouch demo            run every product on generated sample data (1 to 2 minutes)
  vouch sample DIR      write sample files to try the commands below with
  vouch summarize FILE  make a preview of a video, without a server
  vouch serve           serve the HTTP interface on http://127.0.0.1:8080, with data in ./data
  vouch devnet          run a local chain with the contracts, to try the gateway
  vouch doctor          diagnose problems and suggest fixes

These commands speak to a running server, at VOUCH_URL and with the API key VOUCH_API_KEY:
  vouch batches, models, recommend, explain, rules, experiments, runs, webhooks list|show|redeliver

Settings come from the environment and from vouch.toml in the working directory (docs/guides/settings.md). With --json, a command
prints its result as JSON, and a failure as {"error":{"code","detail"}}. docs/guides/commands.md lists the exit codes.`,
  );

for (const add of [addServe, addConsoleCommand, addWorker, addSummarize, addMigrate, addKeys, addWebhooks, addBatches, addModels, addRecommend, addExplain, addRules, addExperiments, addRuns, addGateway, addBackup, addRestore, addBlobs, addDemo, addSample, addDevnet, addContracts, addDoctor, addSupportBundle, addConformance]) {
  add(program);
}

/** Loads the schemas of all products. Called lazily, because a help text does not need the schemas. */
async function loadSettings(): Promise<readonly SettingEntry[]> {
  const [{ listSettings }, { settingSchemas }] = await Promise.all([import('@vouch/platform/config/loadConfiguration'), import('./wiring/configuration.ts')]);
  return listSettings(settingSchemas);
}

const given = process.argv.slice(2);
try {
  await program.parseAsync();
} catch (error) {
  await end(error);
}

async function end(error: unknown): Promise<void> {
  if (error instanceof CommanderError && error.exitCode === 0) return;
  // A command group without a subcommand, such as `vouch keys`, has already printed its help.
  const isHelp = error instanceof CommanderError && error.code === 'commander.help';
  const { exitCode, sentence, record } = classifyFailure(error instanceof CommanderError && !isHelp ? await explainUsage(error, program, given, loadSettings) : error);
  if (!isHelp) process.stderr.write(`vouch: ${sentence}\n`);
  if (given.includes('--json')) process.stdout.write(`${JSON.stringify({ error: isHelp ? { code: 'usage', detail: 'A command is missing.' } : record })}\n`);
  process.exitCode = exitCode ?? exitCodes.failed;
}
