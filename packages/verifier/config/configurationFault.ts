import { shorten } from '@vouch/platform/errors/shorten';

/** One fault in the configuration file or on the command line. */
export interface Fault {
  /** File and line, or flag: `verifier.yaml, line 7` or `-commission-rate`. */
  where: string;
  /** A sentence with the key, the value and the allowed range. */
  sentence: string;
}

/** All faults of a configuration. The message is for operators and contains no secret. */
export class ConfigurationFault extends Error {
  override readonly name = 'ConfigurationFault';
  readonly faults: readonly Fault[];
  /** Warnings that may explain the faults: for example, an unknown key that resembles a missing key. */
  readonly warnings: readonly Fault[];

  constructor(faults: readonly Fault[], warnings: readonly Fault[] = []) {
    super(faults.map(({ where, sentence }) => `${where}: ${sentence}`).join('\n'));
    this.faults = faults;
    this.warnings = warnings;
  }
}

/**
 * Formats a value for an error message. Text that resembles a private key is hidden in every message, because an operator may have
 * put the key into the wrong field.
 */
export function showValue(text: string): string {
  // Hides a key also if a character is mistyped or a space inserted. Ethereum addresses have 40 hex digits, keys 64.
  const digits = text.replaceAll(/[^0-9a-fA-F]/g, '').length;
  if (digits > 48 && digits > 0.8 * text.length) return 'a value in the format of a private key (not shown)';
  return JSON.stringify(shorten(text, 60));
}

/** Formats a name from the file or the command line for an error message: long hex text is hidden, control characters are replaced. */
export function showName(name: string): string {
  if (/[0-9a-fA-F]{16,}/.test(name)) return `(a name of ${name.length} characters, not shown)`;
  // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
  const plain = name.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?');
  return plain.length <= 60 ? plain : `${plain.slice(0, 59)}…`;
}
