import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Node's names of machines beside those in the names of the packages. */
const machines: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Path of the forge that npm installed for this platform; null where there is none. The package's own start script is not
 * used: without install scripts it would look for the binary elsewhere. On Windows forge cannot start the compiler's script.
 */
export function findForge(): string | null {
  const machine = machines[process.arch];
  if (machine === undefined || process.platform === 'win32') return null;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`@foundry-rs/forge-${process.platform}-${machine}/package.json`));
    const path = join(folder, 'bin', 'forge');
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}
