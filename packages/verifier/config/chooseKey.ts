import type { Fault } from './configurationFault.ts';
import type { GivenKeys } from './givenKeys.ts';
import { keys } from './keys.ts';
import type { KeySource, PasswordSource } from './nodeConfiguration.ts';

/** Flags that select the key. */
export interface KeyFlags {
  '-private-key'?: string;
  '-keystore-path'?: string;
  '-keystore-password'?: string;
  '-password-file'?: string;
}

const passwordFlags = ['-keystore-password', '-password-file'] as const;

/**
 * Chooses the source of the node's key. Flags override the file. Two keys, or a password without a keystore, are faults.
 * @param given must have the overrides -private-key, -keystore-path and -keystore-password
 * @returns null if no key is configured (mode 0 without flags) or if there is a fault
 */
export function chooseKey(given: GivenKeys, flags: KeyFlags): KeySource | null {
  const mode = given.take(keys.walletMode) ?? '0';
  const fault = (where: string, sentence: string): null => {
    given.faults.push({ where, sentence });
    return null;
  };
  const clash = findClash(flags);
  if (clash !== null) return fault(clash.where, clash.sentence);
  const passwords = passwordFlags.filter((flag) => flags[flag] !== undefined);
  const byFlag = flags['-private-key'] !== undefined ? '-private-key' : flags['-keystore-path'] !== undefined ? '-keystore-path' : null;
  if (byFlag !== null && mode !== '0') warnOfFlag(given, byFlag, mode);
  if (byFlag === '-private-key' || (byFlag === null && mode === '1')) {
    if (passwords[0] !== undefined) return fault(passwords[0], `the flag is for keystores, but the key is in wallet.private_key (wallet.mode is 1). Set wallet.mode to 2, or remove ${passwords[0]}.`);
    return clearKey(given, byFlag ?? undefined);
  }
  if (byFlag === '-keystore-path' || mode === '2') return keystore(given, flags, mode);
  if (passwords[0] !== undefined) return fault(passwords[0], 'the flag requires a keystore. Add -keystore-path <path>.');
  return null;
}

/** Finds a contradiction between the flags, independent of the file. @returns null if there is none */
export function findClash(flags: KeyFlags): Fault | null {
  const ofKeystore = (['-keystore-path', ...passwordFlags] as const).filter((flag) => flags[flag] !== undefined);
  if (flags['-private-key'] !== undefined && ofKeystore.length > 0) {
    return { where: '-private-key', sentence: `the flag cannot be combined with ${ofKeystore.join(' and ')}: a node has only one key. Remove one of them.` };
  }
  if (passwordFlags.some((flag) => flags[flag] === undefined)) return null;
  return { where: '-keystore-password', sentence: 'the flag cannot be combined with -password-file: both set the password. Remove one of them.' };
}

/** Builds the message for a command that needs a key after chooseKey found none. */
export function noKeySentence(given: GivenKeys): Fault {
  const unused = given.has(keys.privateKey) ? 'wallet.private_key is used only with wallet.mode: 1. '
    : given.has(keys.keystorePath) ? 'wallet.keystore_path is used only with wallet.mode: 2. ' : '';
  return { where: given.whereIs(keys.walletMode), sentence: `wallet.mode is 0, so a flag must set the key. ${unused}Add -keystore-path <path> (or -private-key), or set wallet.mode.` };
}

function clearKey(given: GivenKeys, flag: string | undefined): KeySource | null {
  if (flag === undefined && !given.has(keys.privateKey)) {
    given.faults.push({ where: given.whereIs(keys.walletMode), sentence: 'wallet.mode is 1, but wallet.private_key is missing; it must be the private key: 64 hex digits.' });
    return null;
  }
  const privateKey = given.take(keys.privateKey);
  return privateKey === undefined ? null : { kind: 'clear', privateKey, from: flag ?? keys.privateKey.name };
}

function keystore(given: GivenKeys, flags: KeyFlags, mode: string): KeySource | null {
  if (flags['-keystore-path'] === undefined && !given.has(keys.keystorePath)) {
    given.faults.push({ where: given.whereIs(keys.walletMode), sentence: 'wallet.mode is 2, but wallet.keystore_path is missing; it must be the path of a keystore file.' });
    return null;
  }
  const path = given.takePath(keys.keystorePath);
  const password = choosePassword(given, flags, mode);
  return path === undefined || password === null ? null : { kind: 'keystore', path, password };
}

function choosePassword(given: GivenKeys, flags: KeyFlags, mode: string): PasswordSource | null {
  if (flags['-password-file'] !== undefined) return { kind: 'file', path: flags['-password-file'] };
  const inFile = mode === '2' && given.has(keys.keystorePassword);
  if (flags['-keystore-password'] === undefined && !inFile) return { kind: 'ask' };
  const password = given.take(keys.keystorePassword);
  return password === undefined ? null : { kind: 'given', password, from: given.origins.get(keys.keystorePassword.name) ?? '' };
}

function warnOfFlag(given: GivenKeys, flag: string, mode: string): void {
  given.warnings.push({ where: given.whereIs(keys.walletMode), sentence: `wallet.mode ${mode} is ignored, because ${flag} sets the key.` });
}
