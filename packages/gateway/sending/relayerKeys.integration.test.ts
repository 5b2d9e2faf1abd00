import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOfKey } from '@vouch/chain/keystore/addressOfKey';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewaySettings } from '../settings/gatewaySettings.ts';
import { listRelayerKeys } from './relayerKeys.ts';

const key = '5'.repeat(64);
interface KeystoreFixture {
  name: string;
  password: string;
  address: string;
  keystore: object;
}

const { keystores } = JSON.parse(readFileSync(new URL('../../chain/keystore/fixtures/keystores.json', import.meta.url), 'utf8')) as { keystores: KeystoreFixture[] };
/** A keystore that opens with a small part of the CPU time that a keystore created by Vouch needs. */
const { password, address: other, keystore } = keystores.find(({ name }) => name === 'scrypt light')!;
let folder: string;

const addresses = (settings: GatewaySettings): Promise<string[]> =>
  Promise.all(listRelayerKeys({ name: 'default', settings }, { system: systemInterfaces, environment: {} }).map(async (relayerKey) => (await relayerKey.open()).address));

const given = (changes: Partial<GatewaySettings>): GatewaySettings => changes as GatewaySettings;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-relayer-'));
  await writeFile(join(folder, 'relayer.json'), JSON.stringify(keystore));
  await writeFile(join(folder, 'password'), `${password}\nsecond line\n`);
  await writeFile(join(folder, 'wrong'), 'another\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the keys that pay', () => {
  it('come from the settings and from keystores', async () => {
    const settings = given({ relayer_keys: [key, `0x${key}`], relayer_keystores: [join(folder, 'relayer.json')], relayer_password_file: join(folder, 'password') });
    expect(await addresses(settings)).toEqual([addressOfKey(`0x${key}`), addressOfKey(`0x${key}`), other]);
  });

  it.each([
    ['no password file', { relayer_password_file: undefined }, 'VOUCH_RELAYER_PASSWORD_FILE is not'],
    ['a password file that is not there', { relayer_password_file: '/nowhere/password' }, '/nowhere/password, which VOUCH_RELAYER_PASSWORD_FILE names, cannot be read (ENOENT)'],
    ['a wrong password', { wrong: true }, 'does not open with this password'],
    ['a keystore that is not there', { relayer_keystores: ['/nowhere/key.json'] }, 'VOUCH_RELAYER_KEYSTORES names'],
  ])('are refused with a sentence where there is %s', async (_what, changes, words) => {
    const settings = given({
      relayer_keystores: [join(folder, 'relayer.json')], relayer_password_file: join(folder, 'wrong' in changes ? 'wrong' : 'password'), ...changes,
    } as Partial<GatewaySettings>);
    const failure = await addresses(settings).catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).toContain(words);
    expect((failure as Error).message).not.toContain(password);
  });

  it.each([['relayer_keystores', 'VOUCH_RELAYER_KEYSTORES'], ['relayer_password_file', 'VOUCH_RELAYER_PASSWORD_FILE']])('are not shown where one stands in the place of a path: %s', async (setting, variable) => {
    const settings = given({ relayer_keystores: [join(folder, 'relayer.json')], relayer_password_file: join(folder, 'password'), [setting]: setting === 'relayer_keystores' ? [`0x${key}`] : key });
    const [relayerKey] = listRelayerKeys({ name: 'default', settings }, { system: systemInterfaces, environment: {} });
    const failure = await relayerKey!.open().catch((error: unknown) => error as Error) as Error;
    expect(failure.message).toContain(`which ${variable} names, cannot be read (ENOENT)`);
    expect([relayerKey!.name, failure.message, failure.stack, String(failure.cause)].join('\n')).not.toContain(key);
  });
});
