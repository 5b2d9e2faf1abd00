import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateFiles, type GeneratedFile } from './artifacts.ts';
import { compileContracts, compilerSettings, contractsFolder, solidityFilesIn } from './compile.ts';

/** Largest code that a chain takes (EIP-170). */
const codeBytesMax = 24_576;

let generated: readonly GeneratedFile[];

beforeAll(() => {
  generated = generateFiles();
}, 900_000);

describe('the generated files of the contracts', () => {
  it('are what the sources compile to; compiler/writeArtifacts.ts writes them anew', () => {
    const differing = generated.filter(({ path, text }) => text !== readFileSync(join(contractsFolder, path), 'utf8'));
    expect(generated.length).toBeGreaterThan(10);
    expect(differing.map(({ path }) => path)).toEqual([]);
  });

  it('hold code that every chain takes', () => {
    const sizes = generated.flatMap(({ path, text }) => {
      const bytes = /(\d+) bytes when deployed/.exec(text)?.[1];
      return bytes === undefined ? [] : [[path, Number(bytes)] as const];
    });
    expect(sizes.length).toBeGreaterThan(5);
    expect(sizes.filter(([, bytes]) => bytes === 0 || bytes > codeBytesMax)).toEqual([]);
  });

  it('are tested on the fork that they are compiled for', () => {
    expect(readFileSync(join(contractsFolder, 'foundry.toml'), 'utf8')).toContain(`\nevm_version = '${compilerSettings.evmVersion}'\n`);
  });
});

describe('the compiler', () => {
  it('names what it does not understand', () => {
    expect(() => compileContracts(['solidity/Multicall3.sol', 'solidity/Nothing.sol'])).toThrow(/Nothing\.sol/);
  });

  it('finds the sources of a folder', () => {
    expect(solidityFilesIn('strict')).toEqual(['strict/StrictDaysService.sol', 'strict/StrictReasons.sol', 'strict/StrictRegistry.sol', 'strict/StrictService.sol', 'strict/StrictSignatures.sol']);
    expect(solidityFilesIn('nowhere')).toEqual([]);
  });
});
