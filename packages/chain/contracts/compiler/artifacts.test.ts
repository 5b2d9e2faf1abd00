import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../bytecode/build.ts';
import { filesDigest, generatedPaths, sourceDigest } from './artifacts.ts';
import { compileContracts, compilerSettings, contractsFolder, solidityFilesIn } from './compile.ts';

/** Maximum size of a contract's code in bytes (EIP-170). */
const codeBytesMax = 24_576;

const generated = generatedPaths().map((path) => ({ path, text: readFileSync(join(contractsFolder, path), 'utf8') }));

/** These tests detect changes of only the sources or only the generated files without the compiler; after changes of contracts, CI also compiles (`npm run contracts -- --check`). */
describe('the generated files of the contracts', () => {
  it('were made from the present sources, settings and compiler; npm run contracts writes them anew', () => {
    const { version } = createRequire(import.meta.url)('solc/package.json') as { version: string };
    expect(build.compiler.split('+')[0]).toBe(version);
    expect(build.settings).toEqual(compilerSettings);
    expect({ service: sourceDigest('service', build.compiler), production: sourceDigest('production', build.compiler) }).toEqual(build.sourceDigests);
  });

  it('are as the compiler made them, and no others lie beside', () => {
    expect(generated.length).toBeGreaterThan(10);
    expect(filesDigest(generated)).toBe(build.filesDigest);
    const present = ['abi', 'bytecode'].flatMap((folder) => readdirSync(join(contractsFolder, folder)).map((name) => `${folder}/${name}`));
    expect(present.filter((path) => !path.endsWith('.test.ts')).toSorted()).toEqual(generatedPaths().toSorted());
  });

  it('have another digest after a change by hand', () => {
    const [first, ...others] = generated as [(typeof generated)[number], ...typeof generated];
    expect(filesDigest([{ ...first, text: `${first.text} ` }, ...others])).not.toBe(build.filesDigest);
    const changed = generated.map(({ path, text }) => ({ path, text: text.replace("runs\":200", "runs\":201") }));
    expect(filesDigest(changed)).not.toBe(build.filesDigest);
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
    expect(solidityFilesIn('reverting')).toEqual(['reverting/RevertingDaysService.sol', 'reverting/RevertingReasons.sol', 'reverting/RevertingRegistry.sol', 'reverting/RevertingService.sol', 'reverting/RevertingSignatures.sol']);
    expect(solidityFilesIn('nowhere')).toEqual([]);
  });
});
