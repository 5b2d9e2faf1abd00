import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findProgram } from '@vouch/platform/process/spawnGroup';

/** CPU architecture in the names of the npm packages, by Node's name. */
const machines: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const systems: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'win32' };

/** Thrown if anvil, the program that runs the local chain, is not installed. The message says how to install it. */
export class AnvilMissing extends Error {
  override readonly name = 'AnvilMissing';

  constructor() {
    super(`The local chain needs the program anvil, which is not available for ${process.platform}-${process.arch}. Run npm install with `
      + 'optional dependencies (without --omit=optional), or install Foundry (https://getfoundry.sh) so that anvil is in PATH.');
  }
}

/**
 * Finds anvil: the binary that npm installed for this platform, otherwise the binary in PATH. The package's own start script is
 * not used, because it would run an additional Node process between this process and anvil.
 * @param fromNpm returns the path of the npm binary, or null
 * @param fromPath returns the path of the binary in PATH, or null
 * @throws AnvilMissing
 */
export function findAnvil(fromNpm = npmBinary, fromPath = (): string | null => findProgram('anvil')): string {
  const path = fromNpm() ?? fromPath();
  if (path === null) throw new AnvilMissing();
  return path;
}

function npmBinary(): string | null {
  const [system, machine] = [systems[process.platform], machines[process.arch]];
  if (system === undefined || machine === undefined) return null;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${system}-${machine}/package.json`));
    return findProgram(join(folder, 'bin', system === 'win32' ? 'anvil.exe' : 'anvil'));
  } catch {
    return null;
  }
}
