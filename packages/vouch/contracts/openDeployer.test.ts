import { exitCodes } from '@vouch/platform/process/exitCodes';
import { expect, it } from 'vitest';
import { openDeployer } from './openDeployer.ts';

const key = '5a'.repeat(32);

it.each([key, `0x${key}`, key.toUpperCase(), ` ${key}`])('a private key in the place of a keystore is refused and not shown: %#', async (given) => {
  const failure = await openDeployer(given, undefined, new AbortController().signal).catch((error: unknown) => error as Error);
  expect(failure).toMatchObject({ name: 'CommandFault', exitCode: exitCodes.usage, message: expect.stringContaining('--key is a private key') as string });
  expect((failure as Error).message.toLowerCase()).not.toContain(key);
});

it('a keystore that is not there is named with its path', async () => {
  await expect(openDeployer('/nowhere/key.json', undefined, new AbortController().signal)).rejects.toMatchObject({
    exitCode: exitCodes.input, message: 'The keystore /nowhere/key.json cannot be read (ENOENT). --key sets this path.',
  });
});

it('a mistyped private key is not shown either', async () => {
  const failure = await openDeployer(key.slice(1), undefined, new AbortController().signal).catch((error: unknown) => error as Error);
  expect((failure as Error).message).toMatch(/^The keystore \(a path of 63 characters in the format of a private key, not shown\) cannot be read \(ENOENT\)/);
});

it('a reference that cannot be used is refused with the forms there are, and shows no credential', async () => {
  const failure = await openDeployer('web3signer:https://user:hidden@s:9000', undefined, new AbortController().signal).catch((error: unknown) => error as Error);
  expect(failure).toMatchObject({ exitCode: exitCodes.usage, message: expect.stringContaining('--key cannot be used: A key reference has one of the forms') as string });
  expect((failure as Error).message).not.toContain('hidden');
});
