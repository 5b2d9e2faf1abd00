import { encodeDeployData, type Abi } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import { coordinatorRandomnessAbi } from '../abi/coordinatorRandomness.ts';
import { disputableSlasherAbi } from '../abi/disputableSlasher.ts';
import { licenseAbi } from '../abi/license.ts';
import { rewardPoolAbi } from '../abi/rewardPool.ts';
import { rewardTokenAbi } from '../abi/rewardToken.ts';
import { settingsAbi } from '../abi/settings.ts';
import { timelockAbi } from '../abi/timelock.ts';
import { verifierServiceAbi } from '../abi/verifierService.ts';
import { runtimes } from '../bytecode/build.ts';
import { coordinatorRandomnessBytecode } from '../bytecode/coordinatorRandomness.ts';
import { disputableSlasherBytecode } from '../bytecode/disputableSlasher.ts';
import { licenseBytecode } from '../bytecode/license.ts';
import { rewardPoolBytecode } from '../bytecode/rewardPool.ts';
import { rewardTokenBytecode } from '../bytecode/rewardToken.ts';
import { settingsBytecode } from '../bytecode/settings.ts';
import { timelockBytecode } from '../bytecode/timelock.ts';
import { verifierServiceBytecode } from '../bytecode/verifierService.ts';
import type { ContractName } from './contractNames.ts';

/** Compiler output for a contract of a deployment. */
export interface Artifact {
  abi: Abi;
  bytecode: Hex;
  runtime: { contract: string; unit: 'service' | 'production'; offset: number; length: number; immutables: readonly (readonly [number, number])[] };
}

/** Compiler output by contract. */
export const artifacts = {
  timelock: { abi: timelockAbi, bytecode: timelockBytecode, runtime: runtimes.timelock },
  rewardToken: { abi: rewardTokenAbi, bytecode: rewardTokenBytecode, runtime: runtimes.rewardToken },
  settings: { abi: settingsAbi, bytecode: settingsBytecode, runtime: runtimes.settings },
  license: { abi: licenseAbi, bytecode: licenseBytecode, runtime: runtimes.license },
  rewardPool: { abi: rewardPoolAbi, bytecode: rewardPoolBytecode, runtime: runtimes.rewardPool },
  randomness: { abi: coordinatorRandomnessAbi, bytecode: coordinatorRandomnessBytecode, runtime: runtimes.coordinatorRandomness },
  service: { abi: verifierServiceAbi, bytecode: verifierServiceBytecode, runtime: runtimes.verifierService },
  slasher: { abi: disputableSlasherAbi, bytecode: disputableSlasherBytecode, runtime: runtimes.disputableSlasher },
} as const satisfies Record<ContractName, Artifact>;

/** Contracts with an owner and a two-step transfer of ownership. The slasher has an admin instead, set by its constructor. */
export const ownedContracts = ['settings', 'license', 'rewardPool', 'randomness', 'service'] as const satisfies readonly ContractName[];

/** Encodes creation code with constructor arguments. */
export function creationData(name: ContractName, args: readonly unknown[]): Hex {
  const { abi, bytecode }: Artifact = artifacts[name];
  return encodeDeployData({ abi, bytecode, args });
}

/** Returns the runtime code of a contract, with zeros in place of immutable values. */
export function keptCode(name: ContractName): Hex {
  const { bytecode, runtime: { offset, length } }: Artifact = artifacts[name];
  return `0x${bytecode.slice(2 + 2 * offset, 2 + 2 * (offset + length))}`;
}

/** Replaces the immutable values in on-chain code with zeros, for comparison with `keptCode`. */
export function maskImmutables(name: ContractName, code: Hex): Hex {
  const { runtime: { immutables } }: Artifact = artifacts[name];
  return immutables.reduce<Hex>((masked, [start, length]) => {
    const from = 2 + 2 * start;
    return `0x${masked.slice(2, from)}${'00'.repeat(length)}${masked.slice(from + 2 * length)}`;
  }, code);
}

/** Describes functions and events of a contract as sorted texts; equal texts mean equal interfaces. */
export function interfaceOf(name: ContractName): string[] {
  const { abi }: Artifact = artifacts[name];
  const texts = abi.flatMap((item) => {
    if (item.type !== 'function' && item.type !== 'event') return [];
    const inputs = item.inputs.map((input) => `${typeText(input)}${'indexed' in input && input.indexed === true ? ' indexed' : ''}`).join(',');
    const outputs = item.type === 'function' && item.outputs.length > 0 ? ` returns (${item.outputs.map(typeText).join(',')})` : '';
    return [`${item.type} ${item.name}(${inputs})${outputs}`];
  });
  return [...new Set(texts)].sort();
}

interface Parameter {
  type: string;
  components?: readonly Parameter[];
}

function typeText({ type, components }: Parameter): string {
  return components === undefined ? type : type.replace('tuple', `(${components.map(typeText).join(',')})`);
}
