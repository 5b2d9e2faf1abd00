import { dirname, resolve } from 'node:path';
import { DeploymentFault } from '@vouch/chain/contracts/deployment/deploymentFault';
import { readDeploymentFacts } from '@vouch/chain/contracts/deployment/deploymentRecord';
import type { Fault } from './configurationFault.ts';
import { keys } from './keys.ts';
import type { Entry } from './parseYaml.ts';

/**
 * Reads the deployment record at `contract.deployment` and returns its values as configuration entries, with the line of
 * `contract.deployment`. Keys that the file sets itself are omitted, so the file overrides the record.
 * @param file path of the configuration file; a relative path of the record is resolved against the folder of this file
 * @param faults receives a fault if the record cannot be read
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
