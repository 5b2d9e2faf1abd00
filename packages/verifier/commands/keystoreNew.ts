import { showAddress } from '@vouch/chain/messages/showAddress';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { readNewPassword } from '../keys/readPassword.ts';
import { refuseExisting, writeKeystore } from '../keys/writeKeystore.ts';
import type { Call, Command } from './command.ts';
import { keystoreFlags, parseKeystoreFlags } from './keystoreFlags.ts';

export const keystoreNew: Command = {
  name: 'keystore new',
  summary: 'create a key and store it in a keystore',
  flags: keystoreFlags,
  required: ['-keystore-path'],
  run: makeKeystore,
};

/** Creates a key and its keystore. Standard output receives only the address, so that scripts can use it. */
export async function makeKeystore(call: Call): Promise<number> {
  const { path, passwordFrom } = parseKeystoreFlags(call);
  refuseExisting(path);
  const password = await readNewPassword(passwordFrom, call.secrets, call.warn);
  const address = await writeKeystore(path, `0x${call.system.random.bytes(32).toString('hex')}`, password, call.system.random);
  call.output.write(`${showAddress(address)}\n`);
  call.errors.write(`Written to ${path}. Back up the keystore and its password: without both, the key is lost. Delegate a license to this Ethereum address before the node runs.\n`);
  return exitCodes.done;
}
