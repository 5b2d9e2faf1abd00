import { runtimes } from '../bytecode/build.ts';
import { filesOfUnit, type Unit } from '../compiler/artifacts.ts';
import { compilerRequest } from '../compiler/compile.ts';
import { DeploymentFault } from './deploymentFault.ts';

/** What an explorer of chains needs to verify contracts: a request for the compiler, and which contracts it makes. */
export interface StandardInput {
  unit: Unit;
  /** `path:Name`, as explorers name contracts. */
  contracts: readonly string[];
  /** Standard JSON input, as Etherscan and Sourcify take it. */
  text: string;
}

/**
 * One input for each unit that is compiled together.
 * @throws DeploymentFault `input` where a source is missing: OpenZeppelin's are installed for development only
 */
export function standardInputs(): StandardInput[] {
  const units = [...new Set(Object.values(runtimes).map(({ unit }) => unit))];
  return units.map((unit) => {
    const contracts = Object.values(runtimes).filter((each) => each.unit === unit).map(({ contract }) => contract);
    try {
      return { unit, contracts, text: `${JSON.stringify(compilerRequest(filesOfUnit(unit)), null, 1)}\n` };
    } catch (error) {
      throw new DeploymentFault('input', `The sources of the contracts are not complete here (${error instanceof Error ? error.message.split('\n')[0] : String(error)}). Run npm ci without --omit=dev in the repository, then try again.`, { cause: error });
    }
  });
}
