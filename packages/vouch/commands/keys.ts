import { scopeNames, scopes } from '@vouch/platform/keys/scopes';
import type { KeyRecord, MadeKey } from '@vouch/platform/keys/keyRecords';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { InvalidArgumentError, type Command, type CommanderError } from 'commander';
import { CommandFault } from '../terminal/commandFault.ts';
import { formatTable } from '../terminal/table.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('Create, list, revoke and replace API keys.');
  addCreate(keys);
  addList(keys);
  addRevoke(keys);
  addRotate(keys);
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .description('Create a key. The command prints the key once; Vouch stores only its hash.')
    .option('--organization <name>', 'organization of the key; created if it does not exist', 'default')
    .option('--name <name>', 'name that describes the purpose of the key', 'unnamed')
    .option('--scope <scopes>', 'comma-separated scopes of the key; required')
    .option('--expires <days>', 'days until the key expires', wholeNumberFrom(1))
    .option('--json', 'print the key as JSON')
    .addHelpText('after', `\nScopes: ${scopeNames.join(', ')} (admin includes all).`)
    .action(async (options: { organization: string; name: string; scope?: string; expires?: number; json?: boolean }) => {
      const wanted = parseScopes(options.scope);
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      const made = await withPlatform(async (platform) =>
        platform.keys.create({
          organizationId: await platform.keys.ensureOrganization(options.organization),
          name: options.name,
          scopes: wanted,
          expiresAt: options.expires === undefined ? null : new Date(platform.clock.now() + options.expires * dayMs),
        }),
      );
      printMade(made, options.json);
    });
}

function addList(keys: Command): void {
  keys
    .command('list')
    .description('List the keys, newest first, without their secret part, which Vouch does not store.')
    .option('--organization <name>', 'only the keys of this organization')
    .option('--json', 'print the list as JSON')
    .action(async (options: { organization?: string; json?: boolean }) => {
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      const found = await withPlatform(async (platform) => {
        if (options.organization === undefined) return platform.keys.list();
        const id = await platform.keys.findOrganization(options.organization);
        if (id === null) throw new CommandFault(exitCodes.input, `No organization has the name ${JSON.stringify(options.organization)}. vouch keys list shows the keys of all organizations.`);
        return platform.keys.list(id);
      });
      if (options.json) process.stdout.write(`${JSON.stringify(found.map(toJson))}\n`);
      else process.stdout.write(`${found.length === 0 ? 'No keys exist. vouch keys create --scope … creates one.' : listTable(found)}\n`);
    });
}

function addRevoke(keys: Command): void {
  keys
    .command('revoke <id>')
    .description('Revoke a key. The key stops working at once.')
    .exitOverride(askForId('revoke'))
    .option('--json', 'print the key’s record as JSON')
    .action(async (id: string, options: { json?: boolean }) => {
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      const record = await withPlatform((platform) => platform.keys.revoke(id));
      if (record === null) throw new CommandFault(exitCodes.input, `No key has the id ${JSON.stringify(id)}. vouch keys list shows the ids.`);
      process.stdout.write(options.json ? `${JSON.stringify(toJson(record))}\n` : `The key ${record.id} (${record.name}) is revoked.\n`);
    });
}

function addRotate(keys: Command): void {
  keys
    .command('rotate <id>')
    .description('Create a replacement for a key. The old key remains valid for some hours.')
    .exitOverride(askForId('rotate'))
    .option('--overlap <hours>', 'hours for which the old key remains valid', wholeNumberFrom(0), 24)
    .option('--json', 'print the new key as JSON')
    .action(async (id: string, options: { overlap: number; json?: boolean }) => {
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      const made = await withPlatform((platform) => platform.keys.rotate(id, options.overlap * hourMs));
      printMade(made, options.json);
      if (!options.json) process.stdout.write(`The old key ${id} expires in ${options.overlap} hours.\n`);
    });
}

/**
 * Reads a comma-separated list of scopes. An empty list is an error, so that nobody creates a key with all scopes by accident.
 * @throws CommandFault if the list is empty
 */
function parseScopes(text: string | undefined): string[] {
  const wanted = (text ?? '').split(',').map((scope) => scope.trim()).filter((scope) => scope !== '');
  if (wanted.length > 0) return wanted;
  const choices = Object.entries(scopes).map(([name, sentence]) => `\n  ${name.padEnd(16)}${sentence}`).join('');
  throw new CommandFault(exitCodes.usage, `--scope is missing. Set the scopes of the key, separated by commas, such as --scope recommend:read.${choices}`);
}

/** Explains where to find ids if the argument is missing. */
function askForId(name: string): (error: CommanderError) => never {
  return (error) => {
    if (error.code !== 'commander.missingArgument') throw error;
    throw new CommandFault(exitCodes.usage, `vouch keys ${name} requires the id of a key: vouch keys ${name} <id>. vouch keys list shows the ids.`);
  };
}

function wholeNumberFrom(lowest: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,5}$/.test(text) && Number(text) >= lowest) return Number(text);
    throw new InvalidArgumentError(`The value must be a whole number from ${lowest} to 99999.`);
  };
}

function printMade(made: MadeKey, json: boolean | undefined): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ key: made.key, ...toJson(made.record) })}\n`);
    return;
  }
  process.stdout.write(`${made.key}\nThe key is shown only once. Its id is ${made.record.id}, its scopes are ${made.record.scopes.join(', ')}.\n`);
}

function listTable(records: readonly KeyRecord[]): string {
  return formatTable(
    '',
    ['id', 'organization', 'name', 'scopes', 'last used', 'state'],
    records.map((record) => [
      record.id,
      record.organization,
      record.name,
      record.scopes.join(' '),
      record.lastUsedAt?.toISOString().slice(0, 16) ?? 'never',
      stateOf(record),
    ]),
  );
}

function stateOf({ status, expiresAt }: KeyRecord): string {
  return status === 'valid' && expiresAt !== null ? `until ${expiresAt.toISOString().slice(0, 16)}` : status;
}

function toJson(record: KeyRecord): Record<string, unknown> {
  return {
    id: record.id,
    organization: record.organization,
    name: record.name,
    scopes: record.scopes,
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    status: record.status,
    replaced_by: record.replacedBy,
    last_used_at: record.lastUsedAt,
  };
}
