import { dirname, resolve } from 'node:path';
import { DeploymentFault } from '@vouch/chain/contracts/deployment/deploymentFault';
import { readDeploymentFacts } from '@vouch/chain/contracts/deployment/deploymentRecord';
import type { Fault } from './configurationFault.ts';
import { keys } from './keys.ts';
import type { Entry } from './parseYaml.ts';

/**
 * The keys that the record at `contract.deployment` gives, as if they stood at its line; those of the file come first.
 * @param file its path: the record's path counts from its folder
 */
export function deploymentEntries(entries: readonly Entry[], file: string, faults: Fault[]): Entry[] {
  const entry = entries.find(({ name }) => name === keys.deployment.name);
  const path = entry?.given.text ?? '';
  if (entry === undefined || path === '') return [];
  try {
    const { domain, service, firstBlock } = readDeploymentFacts(resolve(dirname(file), path));
    const values = [
      [keys.chainId, String(domain.chainId)], [keys.startBlock, String(firstBlock)], [keys.service, service],
      [keys.domainName, domain.name], [keys.domainVersion, domain.version],
    ] as const;
    const there = new Set(entries.filter(({ given }) => given.text !== '').map(({ name }) => name));
    return values.filter(([{ name }]) => !there.has(name)).map(([{ name }, text]) => ({ name, line: entry.line, given: { text, list: null, tree: () => text } }));
  } catch (error) {
    if (!(error instanceof DeploymentFault)) throw error;
    faults.push({ where: `${file}, line ${entry.line}`, sentence: `${keys.deployment.name}: ${error.message}` });
    return [];
  }
}
