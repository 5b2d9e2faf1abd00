import { readFile } from 'node:fs/promises';
import type { TlsOptions } from '@vouch/platform/outbound/openAgents';
import type { TlsFiles } from './keyReference.ts';
import { SignerFault } from './signerFault.ts';

/**
 * Reads the TLS files once, when the signer is opened: a renewed certificate takes effect at the next start.
 * @throws SignerFault `not-configured` with the path of the file
 */
export async function readTlsFiles(files: TlsFiles, name: string): Promise<TlsOptions> {
  const entries = Object.entries(files) as [keyof TlsFiles, string][];
  return Object.fromEntries(await Promise.all(entries.map(async ([part, path]) => [part, await readNamed(path, part, name)] as const)));
}

async function readNamed(path: string, part: string, name: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new SignerFault('not-configured', `${name}: the file ${path}, named as ${part}, cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`);
  }
}
