import { readFileSync } from 'node:fs';
import { parse, TomlError } from 'smol-toml';
import type { Static, TObject, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { shortenJson } from '../errors/shorten.ts';
import { describeRange } from './describeRange.ts';
import { nearestName } from './nearestName.ts';

/** The sources of settings. The environment takes precedence over the file, and the file over the fallbacks. */
export interface ConfigurationSources {
  environment: Readonly<Record<string, string | undefined>>;
  /** The text of `vouch.toml`, if the file exists, or a table of a file that is already parsed. */
  file?: { path: string; text: string } | { path: string; table: Readonly<Record<string, unknown>> };
  /** Values by variable, used if neither the environment nor the file sets them. */
  fallbacks?: Readonly<Record<string, string>>;
}

/** One invalid or unknown setting. */
export interface ConfigurationFault {
  /** The variable or key, as the user wrote it. */
  name: string;
  /** `environment`, or the path of the file, with the line if known. */
  source: string;
  /** The problem, with the value (secrets masked) and the allowed range. */
  detail: string;
}

/** All faults of the configuration in one error. The message is meant for operators. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly faults: readonly ConfigurationFault[];

  constructor(faults: readonly ConfigurationFault[]) {
    const lines = faults.map(({ name, source, detail }) => `  ${name} (${source}): ${detail}`);
    super(`The configuration has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n${lines.join('\n')}`);
    this.faults = faults;
  }
}

/** One setting, for documentation and help. */
export interface SettingEntry {
  key: string;
  variable: string;
  range: string;
  /** Null if the setting has no default. */
  default: string | null;
  sentence: string;
  secret: boolean;
}

type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (member: infer Both) => void ? Both : never;

/** The validated settings of all schemas, in one object. */
export type Settings<Schemas extends readonly TObject[]> = Intersection<Static<Schemas[number]>>;

interface Setting extends SettingEntry {
  schema: TSchema;
  required: boolean;
  list: boolean;
}

/** Variables with the prefix VOUCH_ that are no settings: those of the test suites, and the URL and keys for commands that call a server. */
const foreignVariables = /^VOUCH_(?:TEST_|(?:URL|API_KEY|CONFORMANCE_KEY)$)/;

/** Reads `vouch.toml`. @returns undefined if the file does not exist @throws ConfigurationError if the file cannot be read */
export function readConfigurationFile(path: string): { path: string; text: string } | undefined {
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const detail = `the file cannot be read (${code}); it must be a text file that this user can read.`;
    throw new ConfigurationError([{ name: path, source: 'working directory', detail }]);
  }
}

/**
 * Reads and validates the settings of all schemas.
 * @returns one object with all settings, by key
 * @throws ConfigurationError with all faults: values out of range, unknown names, required settings that are not set, invalid TOML
 * @example
 * const settings = loadConfiguration([platformSettings], { environment: process.env, file: readConfigurationFile('vouch.toml') });
 */
export function loadConfiguration<const Schemas extends readonly TObject[]>(
  schemas: Schemas, { environment, file, fallbacks = {} }: ConfigurationSources,
): Settings<Schemas> {
  const settings = settingsOf(schemas);
  const faults: ConfigurationFault[] = [];
  const written = file === undefined ? {} : 'table' in file ? file.table : parseToml(file, faults);
  reportUnknown(settings, environment, written, file?.path ?? '', faults);

  const values: Record<string, unknown> = {};
  for (const setting of settings) {
    const fromEnvironment = environment[setting.variable];
    // Shells and Compose files set an empty variable to mean "not set".
    const named = fromEnvironment !== undefined && fromEnvironment !== '';
    const given = named ? fromEnvironment : (written[setting.key] ?? fallbacks[setting.variable]);
    const name = named ? setting.variable : setting.key;
    if (given === undefined) {
      const fallback = (setting.schema as { default?: unknown }).default;
      if (fallback !== undefined) values[setting.key] = fallback;
      else if (setting.required) faults.push({ name: setting.variable, source: 'not set', detail: `the setting is required and must be ${setting.range}.` });
      continue;
    }
    const value = typeof given === 'string' ? fromText(setting, given) : given;
    if (Value.Check(setting.schema, value)) values[setting.key] = value;
    else faults.push({ name, source: named ? 'environment' : (file?.path ?? ''), detail: `the value is ${show(setting, given)}, but must be ${setting.range}.` });
  }
  if (faults.length > 0) throw new ConfigurationError(faults);
  return values as Settings<Schemas>;
}

/** Lists all settings of the schemas, each with its variable, range, default and description. */
export function listSettings(schemas: readonly TObject[]): SettingEntry[] {
  return settingsOf(schemas).map(({ key, variable, range, default: fallback, sentence, secret }) =>
    ({ key, variable, range, default: fallback, sentence, secret }));
}

function settingsOf(schemas: readonly TObject[]): Setting[] {
  const settings = new Map<string, Setting>();
  for (const { properties, required } of schemas) {
    for (const [key, schema] of Object.entries(properties)) {
      if (settings.has(key)) throw new Error(`two schemas define the setting ${key}`);
      const keywords = schema as { variable?: string; secret?: boolean; list?: string; default?: unknown; description?: string };
      settings.set(key, {
        key,
        variable: keywords.variable ?? `VOUCH_${key.toUpperCase()}`,
        range: describeRange(schema),
        default: keywords.default === undefined ? null : String(keywords.default),
        sentence: keywords.description ?? '',
        secret: keywords.secret === true,
        schema,
        required: (required as readonly string[] | undefined)?.includes(key) ?? false,
        list: keywords.list === 'commas',
      });
    }
  }
  return [...settings.values()];
}

/** Parses a TOML file. If the text is not TOML, adds a fault to `faults` and returns an empty table. */
export function parseToml(file: { path: string; text: string }, faults: ConfigurationFault[]): Readonly<Record<string, unknown>> {
  try {
    return parse(file.text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The message of TomlError quotes the lines around the fault, which may contain a secret. So only its first sentence is used.
    const sentence = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    faults.push({ name: 'TOML', source: `${file.path}, line ${error.line}, column ${error.column}`, detail: `${sentence}.` });
    return {};
  }
}

function reportUnknown(
  settings: readonly Setting[], environment: ConfigurationSources['environment'], written: Readonly<Record<string, unknown>>, path: string,
  faults: ConfigurationFault[],
): void {
  const keys = settings.map(({ key }) => key);
  const variables = settings.map(({ variable }) => variable);
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('VOUCH_') || foreignVariables.test(name) || variables.includes(name)) continue;
    faults.push({ name, source: 'environment', detail: unknownSentence(withoutPrefix(name, variables) ?? nearestName(name, variables)) });
  }
  for (const name of Object.keys(written)) {
    if (!keys.includes(name)) faults.push({ name, source: path, detail: unknownSentence(nearestName(name, keys)) });
  }
}

/** The setting that a variable with a needless prefix means, as `VOUCH_PORT` means `PORT`. */
function withoutPrefix(name: string, variables: readonly string[]): string | null {
  const bare = name.slice('VOUCH_'.length);
  return variables.includes(bare) ? bare : null;
}

function unknownSentence(nearest: string | null): string {
  return nearest === null ? 'the setting does not exist.' : `the setting does not exist; did you mean ${nearest}?`;
}

/** Converts the text of a variable to the type of its schema. Text that does not have this type is returned unchanged and fails validation. */
function fromText({ schema, list }: Setting, text: string): unknown {
  const { type } = schema as { type?: string };
  const trimmed = text.trim();
  if (type === 'integer' || type === 'number') return /^[+-]?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : text;
  if (type === 'boolean' || list) {
    if (trimmed === 'true') return true;
    if (trimmed === 'false') return false;
  }
  return list ? trimmed.split(',').map((member) => member.trim()).filter((member) => member !== '') : text;
}

function show({ secret }: Setting, value: unknown): string {
  if (secret) return typeof value === 'string' ? `secret text of ${value.length} characters` : 'a secret that is not text';
  const text = JSON.stringify(value) ?? String(value);
  return shortenJson(text, 120);
}
