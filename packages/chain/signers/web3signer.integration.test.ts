import { spawn } from 'node:child_process';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { mnemonicToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { findAnvil } from '../devnet/findAnvil.ts';
import { addressOfKey } from '../keystore/addressOfKey.ts';
import type { Hex } from '../messages/operation.ts';
import { freePort, type Answered, type Service } from '../testing/signers/startService.ts';
import { realWeb3signer, startWeb3signer as startWith, type Call } from '../testing/signers/startWeb3signer.ts';
import { createLocalSigner } from './localSigner.ts';
import { openSigner } from './openSigner.ts';
import { parseKeyReference } from './keyReference.ts';
import type { Signer } from './signer.ts';
import { describeSigner } from '../testing/signers/signers.suite.ts';

// web3signer is not available from a package registry. Its interface is tested twice: against anvil, which implements the same three
// methods, and against answers written from the documentation and source of web3signer 25.

const key = `0x${'3c'.repeat(32)}` as const;
const address = addressOfKey(key)!;
const other = addressOfKey(`0x${'3d'.repeat(32)}`)!;

const open = (url: string, of: Hex = address, timeoutMs?: number): Promise<Signer> =>
  openSigner(parseKeyReference(`web3signer:${url}#${of}`), { system: systemInterfaces, environment: {}, ...(timeoutMs === undefined ? {} : { timeoutMs }) });

const startWeb3signer = (answer?: (call: Call) => Answered | undefined, chainId?: bigint): Promise<Service> =>
  startWith({ key, ...(answer === undefined ? {} : { answer }), ...(chainId === undefined ? {} : { chainId }) });

const failWith = (code: number, message: string, status = 200) => ({ id }: Call): Answered => ({ status, body: { jsonrpc: '2.0', id, error: { code, message } } });

describeSigner('web3signer', async () => {
  const services: Service[] = [];
  const failing = (answer: (call: Call) => Answered | undefined, timeoutMs?: number) => async (): Promise<Signer> => {
    const service = await startWeb3signer((call) => (call.method === 'eth_accounts' ? undefined : answer(call)));
    services.push(service);
    return open(service.url, address, timeoutMs);
  };
  const whole = await startWeb3signer();
  services.push(whole);
  return {
    signer: await open(whole.url), address, secrets: [key.slice(2)],
    faults: {
      unreachable: async () => open(`http://127.0.0.1:${await freePort()}`),
      timeout: failing(() => ({}), 300),
      throttled: failing(() => ({ status: 429, body: 'slow down' })),
      refused: failing(() => ({ status: 403, body: '' })),
      'wrong-key': failing(failWith(-32_000, 'No unlocked account matches the Sender')),
      'bad-answer': failing(({ id }) => ({ body: { jsonrpc: '2.0', id, result: `0x02${'00'.repeat(90)}` } })),
      'not-configured': () => openSigner(parseKeyReference(`web3signer:https://127.0.0.1:1?ca=/nowhere/ca.pem#${address}`), { system: systemInterfaces, environment: {} }),
    },
    close: async () => void (await Promise.all(services.map((service) => service.close()))),
  };
});

describeSigner('anvil through the interface of web3signer', async () => {
  const { url, stop } = await startAnvilWithAccount();
  const held = mnemonicToAccount('test test test test test test test test test test test junk').address;
  return { signer: await open(url, held.toLowerCase() as Hex), address: held, secrets: [], faults: { 'wrong-key': () => open(url) }, close: stop };
}, 31_337n);

if (realWeb3signer === null) {
  it.skip('web3signer: VOUCH_TEST_WEB3SIGNER names no running web3signer', () => {});
} else {
  describeSigner('a real web3signer', async () => {
    const reference = parseKeyReference(realWeb3signer!);
    const signer = await openSigner(reference, { system: systemInterfaces, environment: {} });
    return { signer, address: reference.address!, secrets: [], faults: {}, close: async () => {} };
  }, 31_337n);
}

/** Starts anvil with an unlocked account from the standard test mnemonic; the devnet chain has no unlocked account. */
async function startAnvilWithAccount(): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(findAnvil(), ['--host', '127.0.0.1', '--port', '0', '--accounts', '1', '--chain-id', '31337'], { stdio: ['ignore', 'pipe', 'ignore'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let said = '';
  const port = await new Promise<string>((resolve) => child.stdout.on('data', (part: Buffer) => {
    said += part.toString();
    const found = /Listening on \S+:(\d+)/.exec(said)?.[1];
    if (found !== undefined) resolve(found);
  }));
  return { url: `http://127.0.0.1:${port}`, stop: async () => { child.kill('SIGKILL'); await ended; } };
}

describe('web3signer', () => {
  const asked = { chainId: 42_161n, nonce: 1, to: other, data: '0x' as Hex, gasLimit: 21_000n, maxFeeWei: 5n, priorityFeeWei: 1n };

  it('that was started for another chain is named as such', async () => {
    const service = await startWeb3signer(undefined, 1n);
    await expect((await open(service.url)).signTransaction(asked)).rejects.toMatchObject({
      kind: 'bad-answer', message: expect.stringContaining('it signs for chain 1, not for chain 42161 (--chain-id of web3signer)') as string,
    });
    await service.close();
  });

  it('that signs another transaction than the asked one is not believed', async () => {
    const signer = createLocalSigner(key);
    const service = await startWeb3signer(({ id, method }) => (method === 'eth_signTransaction' ? { body: { jsonrpc: '2.0', id, result: stolen } } : undefined));
    const { raw: stolen } = await signer.signTransaction({ ...asked, value: 10n ** 18n });
    await expect((await open(service.url)).signTransaction(asked)).rejects.toMatchObject({ kind: 'bad-answer', message: expect.stringContaining(`not of ${address}`) as string });
    await service.close();
  });

  it('that loses the key is named so, and signs again when it has it', async () => {
    let lost = true;
    const service = await startWeb3signer(({ id, method }) => (lost && method === 'eth_accounts' ? { body: { jsonrpc: '2.0', id, result: [] } } : undefined));
    const signer = await open(service.url);
    await expect(signer.signTransaction(asked)).rejects.toMatchObject({ kind: 'wrong-key', message: expect.stringContaining(`does not have the key of ${address}`) as string });
    lost = false;
    await expect(signer.signTransaction(asked)).resolves.toMatchObject({ raw: expect.stringMatching(/^0x02/) as string });
    await service.close();
  });

  it.each([
    [failWith(-32_602, 'Invalid params', 400), 'refused', /Invalid params/],
    [failWith(-32_601, 'Method not found'), 'refused', /eth1 mode/],
    [failWith(-32_000, 'Failed to generate a signature'), 'refused', /Failed to generate a signature/],
    [failWith(-32_000, 'Rate limit exceeded'), 'throttled', /Rate limit exceeded/],
    [() => ({ status: 500, body: '' }), 'unreachable', /HTTP 500/],
    [() => ({ status: 503, body: '' }), 'unreachable', /HTTP 503/],
    [() => ({ body: 'no JSON' }), 'bad-answer', /invalid JSON/],
    [({ id }: Call) => ({ body: { jsonrpc: '2.0', id, result: 7 } }), 'bad-answer', /expected hex digits/],
    [({ id }: Call) => ({ body: { jsonrpc: '2.0', id, result: `0x${'ab'.repeat(2 ** 20)}` } }), 'bad-answer', /more than 1048576 bytes/],
  ])('that answers %o gives %s', async (answer, kind, words) => {
    const service = await startWeb3signer((call) => (call.method === 'eth_accounts' ? undefined : answer(call)));
    await expect((await open(service.url)).signTransaction(asked)).rejects.toMatchObject({ kind, message: expect.stringMatching(words) as string });
    await service.close();
  });
});
