// Writes the generated pages: one page per error code, the settings, and the help of every command; and the types of the client. With
// --check, writes nothing and exits with code 1 if a page differs from the code.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { describeRange } from '@vouch/platform/config/describeRange';
import { listSettings } from '@vouch/platform/config/loadConfiguration';
import { exitCodeMeanings, exitCodes } from '@vouch/platform/process/exitCodes';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { FindingEntries } from '@vouch/platform/product/findings';
import { platformFindings } from '@vouch/platform/product/platformFindings';
import type { ErrorEntries } from '@vouch/platform/errors/problem';
import { SummaryOptions } from '../packages/video/engine/options/options.schema.ts';
import { statementsPage } from '../packages/vouch/conformance/statementsPage.ts';
import { suites } from '../packages/vouch/conformance/suites.ts';
import { DeploymentFile } from '../packages/vouch/contracts/deploymentFile.ts';
import { settingSchemas } from '../packages/vouch/wiring/configuration.ts';
import { products } from '../packages/vouch/wiring/products.ts';
import { promises } from '../tests/reliability/promises.ts';
import { reliabilityPage } from '../tests/reliability/reliabilityPage.ts';
import { loadResults } from '../tests/reliability/results.ts';
import { buildWhereChanged } from './build/build.js';
import { clientSources } from './client/clientSources.ts';

const docs = new URL('../docs/', import.meta.url);
const program = join(await buildWhereChanged(), 'vouch.js');
const generated = '<!-- Written by npm run docs; edit the code instead. -->';

/** Returns the text of every page, keyed by its path below docs/. */
async function pages(): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  const catalogues: { name: string; entries: ErrorEntries }[] = [
    { name: 'platform', entries: platformErrors.entries },
    ...products.map(({ name, errors }) => ({ name, entries: errors.entries })),
  ];
  const codes = catalogues.flatMap(({ name, entries }) => Object.entries(entries).map(([code, entry]) => ({ code, name, ...entry })));
  codes.sort((a, b) => (a.code < b.code ? -1 : 1));
  for (const { code, title, status, cause, remedy } of codes) {
    all.set(`errors/${code}.md`, `${generated}\n# ${code}\n\n${title}. HTTP status ${status}.\n\n**Cause.** ${cause}\n\n**What to do.** ${remedy}\n`);
  }
  const rows = codes.map(({ code, status, title }) => `| [\`${code}\`](${code}.md) | ${status} | ${title} |`);
  all.set('errors/README.md', `${generated}\n# Error codes\n\nErrors of the HTTP interface have the content type \`application/problem+json\` and a stable \`code\`. Errors of signed messages are
\`{error, code, reason, message}\`, with the code in \`reason\`. Each page states the cause of an error and what to do. Retired codes are never used again.\n\n| code | status | meaning |\n|---|---|---|\n${rows.join('\n')}\n`);
  all.set('guides/settings.md', settingsPage());
  all.set('guides/video-options.md', videoOptionsPage());
  all.set('guides/deployment-file.md', deploymentFilePage());
  all.set('guides/doctor.md', doctorPage());
  all.set('guides/commands.md', await commandsPage());
  all.set('reliability.md', `${generated}\n${reliabilityPage(promises, await loadResults(), await benchTables())}`);
  all.set('conformance.md', `${generated}\n${statementsPage(suites)}`);
  const description = JSON.parse(await readFile(new URL('openapi.json', docs), 'utf8')) as Parameters<typeof clientSources>[0];
  for (const [name, text] of clientSources(description)) all.set(`../packages/client/generated/${name}`, text);
  return all;
}

async function benchTables(): Promise<Map<string, string>> {
  const folder = new URL('../bench/results/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md'));
  return new Map(await Promise.all(names.map(async (name) => [name.slice(0, -3), await readFile(new URL(name, folder), 'utf8')] as const)));
}

function settingsPage(): string {
  const rows = listSettings(settingSchemas).map(
    ({ variable, key, range, default: fallback, sentence, secret }) =>
      `| \`${variable}\` | \`${key}\` | ${sentence}${secret ? ' Secret.' : ''} | ${range} | ${fallback === null ? '' : `\`${fallback}\``} |`,
  );
  return `${generated}
# Settings

Vouch reads settings from environment variables and from \`vouch.toml\` in the working directory; environment variables win. At a start, Vouch
reports all invalid settings at once. \`vouch doctor\` checks them too.

| variable | key in vouch.toml | meaning | allowed | default |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

/** Titles of the sections, by product. */
const doctorSections: Readonly<Record<string, string>> = { platform: 'Machine, settings, data and jobs', recommender: 'Recommender', video: 'Video', gateway: 'Gateway' };

function doctorPage(): string {
  const catalogues: { name: string; entries: FindingEntries }[] = [{ name: 'platform', entries: platformFindings.entries }, ...products.map(({ name, findings }) => ({ name, entries: findings.entries }))];
  const sections = catalogues.map(({ name, entries }) => {
    const findings = Object.entries(entries).map(([code, { status, title, cause, remedy }]) => `### ${code}\n\n${title} (${status}).\n\n**Cause.** ${cause}\n\n**What to do.** ${remedy}\n`);
    return `## ${doctorSections[name]}\n\n${findings.join('\n')}`;
  });
  return `${generated}
# Findings of vouch doctor

\`vouch doctor\` checks an installation, also while a server runs. Each finding states what was found and what to do, and ends with its code in brackets. This page
has every code. A fault keeps a part of Vouch from working, and the command ends with exit code 4; a warning does not. With \`--json\`, each finding has \`status\`, \`detail\`,
\`code\` and \`remedy\`. Retired codes are never used again. \`verifier doctor\` examines [a node](verifier-health.md#what-is-wrong).

${sections.join('\n')}`;
}

function videoOptionsPage(): string {
  const rows = Object.entries(SummaryOptions.properties).map(([name, schema]) => {
    const { description = '' } = schema as { description?: string };
    return `| \`${name}\` | ${description} | ${describeRange(schema)} |`;
  });
  return `${generated}
# Options of video summaries

The object \`options\` of [POST /v1video-summarization/create](video.md) has these fields, all of them optional.

| option | meaning | allowed |
|---|---|---|
${rows.join('\n')}
`;
}

function deploymentFilePage(): string {
  const rows = Object.entries(DeploymentFile.properties).flatMap(([name, schema]) =>
    'properties' in schema ? Object.entries(schema.properties).map(([key, part]) => [`${name}.${key}`, part] as const) : [[name, schema] as const]);
  const lines = rows.map(([name, schema]) => {
    const { description = '', default: fallback } = schema as { description?: string; default?: unknown };
    const shown = fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``;
    return `| \`${name}\` | ${description} | ${describeRange(schema)} | ${shown} |`;
  });
  return `${generated}
# The deployment file

[\`vouch contracts deploy\`](contracts-deployment.md) reads this TOML file. The part of a key before the dot is the name of its section. Durations are in
seconds.

| key | meaning | allowed | default |
|---|---|---|---|
${lines.join('\n')}
`;
}

async function commandsPage(): Promise<string> {
  const names = ['serve', 'console', 'worker', 'summarize', 'sample', 'demo', 'devnet', 'devnet attest', 'gateway', 'contracts deploy', 'contracts verify', 'contracts upgrade-plan', 'doctor', 'support-bundle', 'migrate', 'keys', 'keys create', 'keys list', 'keys revoke', 'keys rotate',
    'webhooks secret show', 'webhooks secret rotate', 'batches list', 'batches upload', 'batches delete', 'models list', 'models show', 'models train', 'models cancel', 'models versions', 'models roll-back',
    'recommend', 'explain', 'runs list', 'runs show', 'runs start', 'runs cancel', 'rules list', 'rules show', 'rules put', 'rules preview', 'rules delete',
    'experiments list', 'experiments show', 'experiments put', 'experiments results', 'experiments delete', 'backup', 'restore', 'blobs claim', 'conformance'];
  const whole = (await help([])).trim();
  const texts = await Promise.all(names.map(async (name) => `## vouch ${name}\n\n\`\`\`\n${(await help(name.split(' '))).trim()}\n\`\`\`\n`));
  return `${generated}\n# Commands\n\n\`\`\`\n${whole}\n\`\`\`\n\n${exitCodesSection()}\n${texts.join('\n')}`;
}

function exitCodesSection(): string {
  const rows = Object.entries(exitCodes).map(([name, code]) => `| ${code} | \`${name}\` | ${exitCodeMeanings[name as keyof typeof exitCodes]} |`);
  return `## Exit codes

All commands of \`vouch\` and \`verifier\` use these exit codes. With \`--json\` (\`-json\`), a failure is also one line on standard output:
\`{"error":{"code","detail"}}\`, where \`code\` is the name of the exit code, or the whole problem if the failure has an [error code](../errors/README.md).

| exit code | name | meaning |
|---|---|---|
${rows.join('\n')}
`;
}

async function help(command: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...command, '--help'], {
    env: { ...process.env, COLUMNS: '110' },
  });
  return stdout;
}

const wanted = await pages();
const onlyCheck = process.argv.includes('--check');
let differences = 0;
await mkdir(new URL('errors/', docs), { recursive: true });
for (const name of await readdir(new URL('errors/', docs))) {
  if (wanted.has(`errors/${name}`)) continue;
  differences += 1;
  console.error(`docs/errors/${name} is about a code that does not exist`);
  if (!onlyCheck) await rm(new URL(`errors/${name}`, docs));
}
for (const [path, text] of wanted) {
  const there = await readFile(new URL(path, docs), 'utf8').catch(() => '');
  if (there === text) continue;
  differences += 1;
  if (onlyCheck) console.error(`${posix.join('docs', path)} is not what the code says; run: npm run docs`);
  else await writeFile(new URL(path, docs), text);
}
console.log(onlyCheck ? `${wanted.size} pages checked, ${differences} differ` : `${wanted.size} pages, ${differences} written`);
if (onlyCheck && differences > 0) process.exit(1);
