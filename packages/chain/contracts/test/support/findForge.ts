import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** CPU architecture in the names of the npm packages, by Node's name. */
const machines: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Finds the forge binary that npm installed for this platform. The package's own start script is not used: without install scripts, it
 * searches elsewhere. Windows is excluded, because forge cannot start the compiler's script there.
 * @returns null if there is none
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
