import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Contracts from npm that are deployed with Vouch's contracts, although no contract of Vouch imports them. */
const deployed = ['@openzeppelin/contracts/governance/TimelockController.sol'];

/**
 * Returns the sources that `vouch contracts verify --standard-json` writes for block explorers: Vouch's contracts and their
 * imports from npm.
 * @returns {Map<string, string>} contents, keyed by their paths in `dist/`
 */
export function loadSolidity(checkout) {
  const folder = join(checkout, 'packages/chain/contracts');
  if (!existsSync(folder)) return new Map();
  const own = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.sol') && !path.startsWith('test'));
  const files = new Map();
  const waiting = [...own, ...deployed];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const path = `chain/contracts/${name}`;
    if (files.has(path)) continue;
    const source = name.startsWith('@') ? join(checkout, 'node_modules', name) : join(folder, name);
    const text = readFileSync(source, 'utf8');
    files.set(path, text);
    for (const [, target] of text.matchAll(/^import\s[^;]*?"([^"]+)";/gm)) waiting.push(target.startsWith('.') ? posix.join(posix.dirname(name), target) : target);
  }
  return files;
}
