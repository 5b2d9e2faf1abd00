import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { describe, expect, it } from 'vitest';
import { addressOfKey } from '../keystore/addressOfKey.ts';
import { freePort, startService, type Answered, type Service } from '../testing/signers/startService.ts';
import { parseKeyReference } from './keyReference.ts';
import { openSigner } from './openSigner.ts';
import type { Signer } from './signer.ts';
import { describeSigner } from '../testing/signers/signers.suite.ts';

// The answers were recorded from Vault 1.21.4. vaultServer.integration.test.ts runs the same suite against a real server.

const key = '7a'.repeat(32);
const token = 'hvs.a-token-of-a-test';
const ciphertext = 'vault:v1:8SDd3WHDOjf7mq69CyCqYjBXAiQQAVZRkFM96XVZfbNnyvX4kzW';
const plain = (bytes: Buffer): Answered => ({
  body: {
    request_id: '4ac41c62-5d83-5a4b-3e93-f35a1ae55f3c', lease_id: '', renewable: false, lease_duration: 0, data: { plaintext: bytes.toString('base64') },
    wrap_info: null, warnings: null, auth: null, mount_type: 'transit',
  },
});
const failWith = (status: number, ...errors: string[]): Answered => ({ status, body: { errors } });

/** Starts a Vault stand-in with one transit key. `answer` can replace the answers after the first call, which determines the address. */
function startVault(answer?: Answered): Promise<Service> {
  let calls = 0;
  return startService(({ method, path, headers, body }) => {
    calls += 1;
    if (headers['x-vault-token'] !== token) return failWith(403, '2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n');
    if (method !== 'POST' || path !== '/v1/transit/decrypt/relayer') return failWith(404, `no handler for route "${path.slice(4)}". route entry not found.`);
    if ((JSON.parse(body) as { ciphertext: string }).ciphertext !== ciphertext) return failWith(400, 'cipher: message authentication failed');
    return calls > 1 && answer !== undefined ? answer : plain(Buffer.from(key, 'hex'));
  });
}

const folder = await mkdtemp(join(tmpdir(), 'vouch-vault-'));
const file = join(folder, 'relayer.vault');
await writeFile(file, `${ciphertext}\n`);

const open = (url: string | undefined, more: Record<string, string> = {}, timeoutMs?: number, path = file): Promise<Signer> =>
  openSigner(parseKeyReference(`vault:transit/keys/relayer?file=${path}`), {
    system: systemInterfaces, environment: { ...(url === undefined ? {} : { VAULT_ADDR: url }), VAULT_TOKEN: token, HOME: folder, ...more }, ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

describeSigner('a key that Vault encrypts', async () => {
  const services: Service[] = [];
  const failing = (answer: Answered, timeoutMs?: number) => async (): Promise<Signer> => {
    const service = await startVault(answer);
    services.push(service);
    return open(service.url, {}, timeoutMs);
  };
  const service = await startVault();
  services.push(service);
  return {
    signer: await open(`${service.url}/`), address: addressOfKey(`0x${key}`)!, secrets: [token, key, Buffer.from(key, 'hex').toString('base64')],
    faults: {
      unreachable: failing(failWith(503, 'Vault is sealed')),
      timeout: failing({}, 2_000),
      throttled: failing(failWith(429, 'request path "transit/decrypt/relayer": rate limit quota exceeded')),
      refused: failing(failWith(403, '1 error occurred:\n\t* permission denied\n\n')),
      'wrong-key': failing(failWith(400, 'ciphertext or signature version is disallowed by policy (too old)')),
      'bad-answer': failing({ body: { data: {} } }),
      'not-configured': () => open(undefined),
    },
    close: async () => {
      await Promise.all(services.map((each) => each.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
});

describe('Vault', () => {
  it.each([
    [failWith(400, 'encryption key not found'), 'wrong-key'], [failWith(400, 'invalid ciphertext: no prefix'), 'wrong-key'], [failWith(400, 'cipher: message authentication failed'), 'wrong-key'], [failWith(400, 'invalid ciphertext length'), 'wrong-key'],
    [failWith(404, 'no handler for route "transit/decrypt/relayer". route entry not found.'), 'wrong-key'], [failWith(500, 'internal error'), 'unreachable'],
    [{ status: 502, body: '<html>' }, 'unreachable'], [{ status: 307, body: '' }, 'unreachable'], [plain(Buffer.alloc(16, 1)), 'wrong-key'], [plain(Buffer.alloc(32)), 'wrong-key'],
    [plain(Buffer.alloc(32, 9)), 'bad-answer'],
  ])('that answers %j gives %s', async (answer, kind) => {
    const [service, folderOfCase] = [await startVault(answer), await mkdtemp(join(tmpdir(), 'vouch-vault-'))];
    const path = join(folderOfCase, 'relayer.vault');
    await writeFile(path, ciphertext);
    await expect(open(service.url, {}, undefined, path).then((signer) => signer.signText('x'))).rejects.toMatchObject({ kind });
    await Promise.all([service.close(), rm(folderOfCase, { recursive: true })]);
  });

  it.each<[string, Record<string, string>, string, RegExp]>([
    ['an address that is none', { VAULT_ADDR: 'unix:///run/vault.sock' }, 'not-configured', /VAULT_ADDR is not an http/],
    ['no token', { VAULT_TOKEN: '', HOME: '/nowhere' }, 'not-configured', /\/nowhere\/\.vault-token, the token of Vault/],
    ['a certificate that is not there', { VAULT_CACERT: '/nowhere/ca.pem' }, 'not-configured', /\/nowhere\/ca\.pem/],
  ])('is not asked with %s', async (_what, environment, kind, words) => {
    const folderOfCase = await mkdtemp(join(tmpdir(), 'vouch-vault-'));
    const path = join(folderOfCase, 'relayer.vault');
    await writeFile(path, ciphertext);
    const url = `http://127.0.0.1:${await freePort()}`;
    await expect(open(url, environment, undefined, path)).rejects.toMatchObject({ kind, message: expect.stringMatching(words) as string });
    await writeFile(path, 'no ciphertext');
    await expect(open(url, {}, undefined, path)).rejects.toMatchObject({ kind: 'not-configured', message: expect.stringContaining('does not contain a ciphertext of Vault') as string });
    await rm(folderOfCase, { recursive: true });
  });

  it('is given token and namespace in headers, never in the address', async () => {
    const [service, folderOfCase] = [await startVault(), await mkdtemp(join(tmpdir(), 'vouch-vault-'))];
    const path = join(folderOfCase, 'relayer.vault');
    await writeFile(path, ciphertext);
    await open(service.url, { VAULT_NAMESPACE: 'team/chain' }, undefined, path);
    expect(service.asked).toEqual([expect.objectContaining({ method: 'POST', path: '/v1/transit/decrypt/relayer', headers: expect.objectContaining({ 'x-vault-token': token, 'x-vault-namespace': 'team/chain', 'x-vault-request': 'true' }) as object })]);
    await Promise.all([service.close(), rm(folderOfCase, { recursive: true })]);
  });
});
