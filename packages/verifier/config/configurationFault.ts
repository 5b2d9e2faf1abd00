/** One thing that is wrong in the configuration file or on the command line. */
export interface Fault {
  /** `verifier.yaml, line 7` or `-commission-rate`. */
  where: string;
  /** A sentence with key, value and range. */
  sentence: string;
}

/** Everything that is wrong, at once; the message is for people and holds no secret. */
export class ConfigurationFault extends Error {
  override readonly name = 'ConfigurationFault';
  readonly faults: readonly Fault[];
  /** What stops nothing by itself, but may be the cause: a key that is not known beside one that is missing. */
  readonly warnings: readonly Fault[];

  constructor(faults: readonly Fault[], warnings: readonly Fault[] = []) {
    super(faults.map(({ where, sentence }) => `${where}: ${sentence}`).join('\n'));
    this.faults = faults;
    this.warnings = warnings;
  }
}

/**
 * A value as a sentence may show it. What has the form of a private key is not shown wherever it stands: it may have been put
 * into the wrong place.
 */
export function showValue(text: string): string {
  // Also with a letter mistyped or a blank in it: addresses have 40 digits, keys 64.
  const digits = text.replaceAll(/[^0-9a-fA-F]/g, '').length;
  if (digits > 48 && digits > 0.8 * text.length) return 'something with the form of a private key (not shown)';
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 59)}…`);
}

/** A name from outside, as a sentence may show it. */
export function showName(name: string): string {
  if (/[0-9a-fA-F]{16,}/.test(name)) return `(a name of ${name.length} characters, not shown)`;
  // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
  const plain = name.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?');
  return plain.length <= 60 ? plain : `${plain.slice(0, 59)}…`;
}
