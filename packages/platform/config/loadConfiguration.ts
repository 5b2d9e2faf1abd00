import { readFileSync } from 'node:fs';
import { parse, TomlError } from 'smol-toml';
import type { Static, TObject, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { describeRange } from './describeRange.ts';
import { nearestName } from './nearestName.ts';

/** Where settings come from. The environment wins over the file. */
export interface ConfigurationSources {
  environment: Readonly<Record<string, string | undefined>>;
  /** The text of `vouch.toml`, where there is one; or a table of a file that was parsed already. */
  file?: { path: string; text: string } | { path: string; table: Readonly<Record<string, unknown>> };
  /** Values by variable that hold where neither environment nor file says anything. */
  fallbacks?: Readonly<Record<string, string>>;
}

export interface ConfigurationFault {
  /** Variable or key, as it was written. */
  name: string;
  /** `environment`, or the path of the file with the line where it is known. */
  source: string;
  /** What is wrong, with the value (secrets masked) and the allowed range. */
  detail: string;
}

/** Everything that is wrong with the configuration, in one error whose message is for people. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly faults: readonly ConfigurationFault[];

  constructor(faults: readonly ConfigurationFault[]) {
    const lines = faults.map(({ name, source, detail }) => `  ${name} (${source}): ${detail}`);
    super(`The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${lines.join('\n')}`);
    this.faults = faults;
  }
}

/** One setting, for documentation and help. */
export interface SettingEntry {
  key: string;
  variable: string;
  range: string;
  /** Null where it has none. */
  default: string | null;
  sentence: string;
  secret: boolean;
}

type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (member: infer Both) => void ? Both : never;

/** The checked settings of all schemas together. */
export type Settings<Schemas extends readonly TObject[]> = Intersection<Static<Schemas[number]>>;

interface Setting extends SettingEntry {
  schema: TSchema;
  required: boolean;
  list: boolean;
}

/** Variables with our prefix that are read elsewhere: by the test suites. */
const foreignVariables = /^VOUCH_TEST_/;

/** Reads `vouch.toml`; undefined where there is none. @throws ConfigurationError where it cannot be read */
export function readConfigurationFile(path: string): { path: string; text: string } | undefined {
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const detail = `it cannot be read (${code}); it must be a text file that this user may read.`;
    throw new ConfigurationError([{ name: path, source: 'working directory', detail }]);
  }
}

/**
 * Reads and checks the settings of all schemas.
 * @throws ConfigurationError with every fault: values out of range, names nobody knows, lines that are not TOML
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
    // An empty variable is how a shell and a compose file say "not set".
    const named = fromEnvironment !== undefined && fromEnvironment !== '';
    const given = named ? fromEnvironment : (written[setting.key] ?? fallbacks[setting.variable]);
    const name = named ? setting.variable : setting.key;
    if (given === undefined) {
      const fallback = (setting.schema as { default?: unknown }).default;
      if (fallback !== undefined) values[setting.key] = fallback;
      else if (setting.required) faults.push({ name: setting.variable, source: 'not set', detail: `it must be ${setting.range}.` });
      continue;
    }
    const value = typeof given === 'string' ? fromText(setting, given) : given;
    if (Value.Check(setting.schema, value)) values[setting.key] = value;
    else faults.push({ name, source: named ? 'environment' : (file?.path ?? ''), detail: `it is ${show(setting, given)}; it must be ${setting.range}.` });
  }
  if (faults.length > 0) throw new ConfigurationError(faults);
  return values as Settings<Schemas>;
}

/** Every setting with its variable, range, default and sentence. */
export function listSettings(schemas: readonly TObject[]): SettingEntry[] {
  return settingsOf(schemas).map(({ key, variable, range, default: fallback, sentence, secret }) =>
    ({ key, variable, range, default: fallback, sentence, secret }));
}

function settingsOf(schemas: readonly TObject[]): Setting[] {
  const settings = new Map<string, Setting>();
  for (const { properties, required } of schemas) {
    for (const [key, schema] of Object.entries(properties)) {
      if (settings.has(key)) throw new Error(`the setting ${key} is in two schemas`);
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

/** The tables and keys of a TOML file; nothing where it is none, with the fault added. */
export function parseToml(file: { path: string; text: string }, faults: ConfigurationFault[]): Readonly<Record<string, unknown>> {
  try {
    return parse(file.text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Its message shows the lines around the fault, which may hold a secret: only the first sentence is passed on.
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
    faults.push({ name, source: 'environment', detail: unknownSentence(nearestName(name, variables)) });
  }
  for (const name of Object.keys(written)) {
    if (!keys.includes(name)) faults.push({ name, source: path, detail: unknownSentence(nearestName(name, keys)) });
  }
}

function unknownSentence(nearest: string | null): string {
  return nearest === null ? 'there is no such setting.' : `there is no such setting; did you mean ${nearest}?`;
}

/** Text of a variable as the type its schema asks for; text that is not of that type stays text and fails the check. */
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
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
