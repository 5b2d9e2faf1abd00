import { readFile } from 'node:fs/promises';
import { openKeystore } from '@vouch/chain/keystore/keystore';
import type { Hex } from '@vouch/chain/messages/operation';
import type { GatewaySettings } from '../settings.ts';

/**
 * The private keys that pay. They come from here and go to the pipeline and the doctor, nowhere else.
 * @throws Error whose sentence names the setting or the file, never a key or password
 */
export async function readRelayerKeys(settings: GatewaySettings): Promise<readonly Hex[]> {
  const { relayer_keys: keys = [], relayer_keystores: paths = [], relayer_password_file: passwordFile } = settings;
  const clear = keys.map((key): Hex => `0x${key.replace(/^0x/i, '').toLowerCase()}`);
  if (paths.length === 0) return distinct(clear);
  if (passwordFile === undefined) throw new Error('VOUCH_RELAYER_KEYSTORES is set, but VOUCH_RELAYER_PASSWORD_FILE is not: it names the file with their password.');
  const password = (await readText(passwordFile, 'VOUCH_RELAYER_PASSWORD_FILE')).split(/\r?\n/, 1)[0] ?? '';
  const opened: Hex[] = [];
  // One after the other: a standard keystore takes 256 MB while it opens.
  for (const path of paths) {
    const text = await readText(path, 'VOUCH_RELAYER_KEYSTORES');
    try {
      opened.push((await openKeystore(text, password)).privateKey);
    } catch (error) {
      throw new Error(`The keystore ${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
  return distinct([...clear, ...opened]);
}

async function readText(path: string, setting: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new Error(`${path}, which ${setting} names, cannot be read (${code}).`, { cause: error });
  }
}

function distinct(keys: readonly Hex[]): Hex[] {
  return [...new Set(keys)];
}
