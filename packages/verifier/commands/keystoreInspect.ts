import { KeystoreFault } from '@vouch/chain/keystore/keystoreFault';
import { parseKeystore } from '@vouch/chain/keystore/parseKeystore';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { KeyFault } from '../keys/keyFault.ts';
import { openKeystoreText } from '../keys/openKey.ts';
import { readPassword } from '../keys/readPassword.ts';
import { readSecretFile } from '../keys/readSecretFile.ts';
import type { Command } from './command.ts';
import { keystoreFlags, parseKeystoreFlags } from './keystoreFlags.ts';

export const keystoreInspect: Command = {
  name: 'keystore inspect',
  summary: 'show address and cost of a keystore; with a password flag, also whether the keystore opens',
  flags: [...keystoreFlags, '-json'],
  required: ['-keystore-path'],
  async run(call) {
    const { path, passwordFrom } = parseKeystoreFlags(call);
    const { text, othersMayRead } = readSecretFile(path, 'The keystore');
    const { kdf, address } = parse(text, path);
    const opened = passwordFrom.kind === 'ask' ? null : await openKeystoreText(text, path, await readPassword(passwordFrom, call.secrets, call.warn));
    const shown = opened?.address ?? address;
    const facts = {
      address: shown === null ? null : showAddress(shown),
      derivation: kdf.name === 'scrypt' ? `scrypt, n = ${kdf.n}, r = ${kdf.r}, p = ${kdf.p}` : `pbkdf2, ${kdf.rounds} rounds`,
      opens: opened === null ? null : true,
      others_may_read: othersMayRead,
    };
    if (othersMayRead) call.warn(`Other users of this machine can read the keystore: chmod 600 ${path}`);
    call.output.write(call.given.has('-json') ? `${JSON.stringify(facts)}\n` : sentences(facts));
    return exitCodes.done;
  },
};

function parse(text: string, path: string): ReturnType<typeof parseKeystore> {
  try {
    return parseKeystore(text);
  } catch (error) {
    throw error instanceof KeystoreFault ? new KeyFault(`${path}: ${error.message}`) : error;
  }
}

function sentences({ address, derivation, opens }: { address: string | null; derivation: string; opens: boolean | null }): string {
  return [
    `address     ${address ?? 'not in the file; shown when the keystore is opened'}`,
    `derivation  ${derivation}`,
    `password    ${opens === null ? 'not tried; use -password-file to try the password' : 'opens it'}`,
    '',
  ].join('\n');
}
