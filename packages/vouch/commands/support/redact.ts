import type { SettingEntry } from '@vouch/platform/config/loadConfiguration';

/** Shorter values would also replace ordinary words. Their own setting is left out like every secret. */
const minSecretLength = 6;

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the values of the secret settings, also of those with faults.
 * @param configuration values by key; empty if the settings cannot be read
 * @param environment values by variable
 */
export function listSecrets(entries: readonly SettingEntry[], configuration: Values, environment: Values): string[] {
  const secret = entries.filter((entry) => entry.secret);
  const values = secret.flatMap(({ key, variable }) => [configuration[key], environment[variable], ...String(environment[variable] ?? '').split(',')].flat());
  // A deployment repeats secret settings for its own chain.
  const deployments = Object.values(configuration).flat().filter((value): value is Values => typeof value === 'object' && value !== null);
  const found = [...values.filter((value) => typeof value === 'string'), ...deployments.flatMap((each) => listSecrets(entries, each, {}))];
  return [...new Set(found)].filter(({ length }) => length >= minSecretLength);
}

/**
 * Returns a copy without secrets: the given values, and in URLs the user, the password, the query and the fragment, where signed links have their signatures.
 * @param value JSON
 */
export function redact<Value>(value: Value, secrets: readonly string[]): Value {
  const longestFirst = secrets.toSorted((one, other) => other.length - one.length);
  const inText = (text: string): string =>
    longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
      .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']*@/gi, '$1[secret]@')
      .replace(/([a-z][a-z0-9+.-]*:\/\/[^\s?#"']*)[?#][^\s"']*/gi, '$1?[removed]');
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return inText(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part === 'object' && part !== null) return Object.fromEntries(Object.entries(part).map(([key, each]) => [inText(key), walk(each)]));
    return part;
  };
  return walk(value) as Value;
}
