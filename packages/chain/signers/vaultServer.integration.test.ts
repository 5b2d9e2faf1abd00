import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOfKey } from '../keystore/addressOfKey.ts';
import { makeTransitKey, startVault, vaultProgram, type TestVault, type TransitKey } from '../testing/signers/startVault.ts';
import { parseKeyReference } from './keyReference.ts';
import { openSigner } from './openSigner.ts';
import type { Signer } from './signer.ts';
import { describeSigner } from '../testing/signers/signers.suite.ts';

if (vaultProgram === null) {
  it.skip('Vault: VOUCH_TEST_VAULT names no program of the server; npm run test:signers builds it', () => {});
} else {
  const program = vaultProgram;

  const open = ({ url }: { url: string }, { file, token }: { file: string; token: string }, name = 'relayer', timeoutMs?: number): Promise<Signer> =>
    openSigner(parseKeyReference(`vault:transit/keys/${name}?file=${file}`), {
      system: systemInterfaces, environment: { VAULT_ADDR: url, VAULT_TOKEN: token, HOME: '/nowhere' }, ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });

  describeSigner('a key that a real Vault encrypts', async () => {
    const vault = await startVault(program);
    const key = await makeTransitKey(vault, 'relayer');
    const servers = [vault];
    // Each failure test starts its own server, because a rate limit or a seal would affect other tests.
    const other = async (): Promise<{ server: TestVault; made: TransitKey; signer: Signer }> => {
      const server = await startVault(program);
      servers.push(server);
      const made = await makeTransitKey(server, 'relayer');
      return { server, made, signer: await open(server, made, 'relayer', 3_000) };
    };
    return {
      signer: await open(vault, key), address: addressOfKey(key.privateKey)!, secrets: [key.token, key.privateKey.slice(2), vault.rootToken],
      faults: {
        async unreachable() {
          const { server, signer } = await other();
          await server.call('PUT', 'sys/seal', {});
          return signer;
        },
        async timeout() {
          const { server, signer } = await other();
          process.kill(server.pid, 'SIGSTOP');
          return signer;
        },
        async throttled() {
          const { server, signer } = await other();
          await server.call('POST', 'sys/quotas/rate-limit/slow', { path: 'transit/decrypt/relayer', rate: 1, interval: '1h' });
          await signer.signText('the only signature that the limit allows');
          return signer;
        },
        async refused() {
          const { server, made, signer } = await other();
          await server.call('POST', 'auth/token/revoke', { token: made.token });
          return signer;
        },
        async 'wrong-key'() {
          const { server, signer } = await other();
          await server.call('POST', 'transit/keys/relayer/rotate', {});
          await server.call('POST', 'transit/keys/relayer/config', { min_decryption_version: 2 });
          return signer;
        },
        'not-configured': () => open(vault, { file: '/nowhere/relayer.vault', token: key.token }),
      },
      close: async () => void (await Promise.all(servers.map((server) => server.stop()))),
    };
  });

  describe('Vault', () => {
    let vault: TestVault;
    beforeAll(async () => { vault = await startVault(program); });
    afterAll(() => vault.stop());

    it('has no key of secp256k1 in its transit engine, which is why it decrypts and does not sign', async () => {
      await makeTransitKey(vault, 'any');
      for (const type of ['ecdsa-secp256k1', 'secp256k1', 'ecdsa-p256k1']) {
        await expect(vault.call('POST', `transit/keys/${type}`, { type })).rejects.toThrow(/HTTP 400 .*unknown key type/);
      }
    });

    it('signs on with a file that was wrapped anew after the transit key was rotated, and the old version closed', async () => {
      const key = await makeTransitKey(vault, 'rotated');
      const signer = await open(vault, key, 'rotated');
      await vault.call('POST', 'transit/keys/rotated/rotate', {});
      const { ciphertext } = await vault.call('POST', 'transit/rewrap/rotated', { ciphertext: (await readFile(key.file, 'utf8')).trim() });
      expect(String(ciphertext)).toMatch(/^vault:v2:/);
      await writeFile(key.file, String(ciphertext));
      await vault.call('POST', 'transit/keys/rotated/config', { min_decryption_version: 2 });
      await expect(signer.signText('x')).resolves.toMatch(/^0x/);
    });

    it('takes a token that an agent renews in a file', async () => {
      const key = await makeTransitKey(vault, 'agent');
      const file = join(vault.folder, 'token');
      const environment = { VAULT_ADDR: vault.url, VAULT_TOKEN_FILE: file };
      const reference = parseKeyReference(`vault:transit/keys/agent?file=${key.file}#${addressOfKey(key.privateKey)!}`);
      const signer = await openSigner(reference, { system: systemInterfaces, environment });
      await expect(signer.signText('x')).rejects.toMatchObject({ kind: 'not-configured', message: expect.stringContaining('ENOENT') as string });
      await writeFile(file, 'an-old-token\n');
      await expect(signer.signText('x')).rejects.toMatchObject({ kind: 'refused' });
      await writeFile(file, `${key.token}\n`);
      await expect(signer.signText('x')).resolves.toMatch(/^0x/);
    });

    it('whose transit key is another than the one that encrypted the file decrypts nothing', async () => {
      const [one, two] = [await makeTransitKey(vault, 'one'), await makeTransitKey(vault, 'two')];
      await expect(open(vault, { ...two, file: one.file }, 'two')).rejects.toMatchObject({ kind: 'wrong-key' });
      await expect(open(vault, { token: vault.rootToken, file: one.file }, 'missing')).rejects.toMatchObject({ kind: 'wrong-key' });
    });

    it('that encrypts something else than a key of 32 bytes is named', async () => {
      await makeTransitKey(vault, 'short');
      const { ciphertext } = await vault.call('POST', 'transit/encrypt/short', { plaintext: Buffer.from('no key').toString('base64') });
      const file = join(vault.folder, 'short.vault');
      await writeFile(file, String(ciphertext));
      await expect(open(vault, { file, token: vault.rootToken }, 'short')).rejects.toMatchObject({ kind: 'wrong-key', message: expect.stringContaining('32 bytes') as string });
    });
  });
}
