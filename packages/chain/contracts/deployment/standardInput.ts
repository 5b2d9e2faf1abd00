import { runtimes } from '../bytecode/build.ts';
import { filesOfUnit, type Unit } from '../compiler/artifacts.ts';
import { compilerRequest } from '../compiler/compile.ts';
import { DeploymentFault } from './deploymentFault.ts';

/** Input for verifying contracts on a block explorer: a compiler request and its contracts. */
export interface StandardInput {
  unit: Unit;
  /** Contracts as `path:Name`, the form that explorers expect. */
  contracts: readonly string[];
  /** Standard JSON input for Etherscan and Sourcify. */
  text: string;
}

/**
 * Returns the standard JSON input of each compiled unit.
 * @throws DeploymentFault `input` if a source is missing: OpenZeppelin's contracts are development dependencies
 */
export function standardInputs(): StandardInput[] {
  const units = [...new Set(Object.values(runtimes).map(({ unit }) => unit))];
  return units.map((unit) => {
    const contracts = Object.values(runtimes).filter((each) => each.unit === unit).map(({ contract }) => contract);
    try {
      return { unit, contracts, text: `${JSON.stringify(compilerRequest(filesOfUnit(unit)), null, 1)}\n` };
    } catch (error) {
      throw new DeploymentFault('input', `The sources of the contracts are incomplete (${error instanceof Error ? error.message.split('\n')[0] : String(error)}). Run npm ci without --omit=dev in the repository, then try again.`, { cause: error });
    }
  });
}
