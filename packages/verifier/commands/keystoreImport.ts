import { showAddress } from '@vouch/chain/messages/showAddress';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { keys } from '../config/keys.ts';
import { KeyFault } from '../keys/keyFault.ts';
import { withAddress } from '../keys/openKey.ts';
import { readNewPassword } from '../keys/readPassword.ts';
import { refuseExisting, writeKeystore } from '../keys/writeKeystore.ts';
import { textOf, type Command } from './command.ts';
import { keystoreFlags, parseKeystoreFlags } from './keystoreFlags.ts';

export const keystoreImport: Command = {
  name: 'keystore import',
  summary: 'store an existing key, typed or from standard input, in a keystore',
  flags: [...keystoreFlags, '-private-key'],
  required: ['-keystore-path'],
  async run(call) {
    const { path, passwordFrom } = parseKeystoreFlags(call);
    refuseExisting(path);
    const flag = textOf(call, '-private-key');
    const written = (flag ?? await call.secrets.ask('Private key (not shown)', 'the private key')).trim();
    const parsed = keys.privateKey.parse({ text: written, list: null, tree: () => null });
    if ('fault' in parsed) throw new KeyFault(`The input (not shown) is not a private key; it must be ${parsed.fault}.`);
    const { privateKey, address } = withAddress(parsed.value, flag === undefined ? 'the input' : '-private-key');
    call.errors.write(`The key belongs to ${showAddress(address)}.\n`);
    await writeKeystore(path, privateKey, await readNewPassword(passwordFrom, call.secrets, call.warn), call.system.random);
    call.output.write(`${showAddress(address)}\n`);
    call.errors.write(`Written to ${path}. Delete every unencrypted copy of the key.\n`);
    return exitCodes.done;
  },
};
