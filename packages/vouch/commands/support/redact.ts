import type { SettingEntry } from '@vouch/platform/config/loadConfiguration';

/** Minimum length of a replaced secret: shorter values would also replace ordinary words. */
const minSecretLength = 6;

/**
 * Returns the values of the secret settings.
 * @param settings values by key, of the configuration and of each deployment
 */
export function listSecrets(entries: readonly SettingEntry[], settings: readonly object[]): string[] {
  const secret = entries.filter((entry) => entry.secret);
  const values = settings.flatMap((each) => secret.map(({ key }) => (each as Readonly<Record<string, unknown>>)[key])).flat();
  return values.filter((value): value is string => typeof value === 'string' && value.length >= minSecretLength);
}

/**
 * Returns a copy without the secrets, and without the user, the password, the query and the fragment of URLs: signed links have their signatures in the query.
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
