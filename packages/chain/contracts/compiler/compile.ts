import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Abi } from 'viem';

/** The folder of the contracts; source names are relative to it, as in foundry.toml. */
export const contractsFolder = fileURLToPath(new URL('..', import.meta.url));

/** What the compiler is asked for beside sources. Without `viaIR` the service has 26,350 bytes, more than a chain takes. */
export const compilerSettings = {
  optimizer: { enabled: true, runs: 200 },
  viaIR: true,
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
} as const;

/** What the compiler made of one contract. Code is hex with 0x; `runtimeBytes` is the size that the 24,576 byte limit is about. */
export interface CompiledContract {
  abi: Abi;
  bytecode: `0x${string}`;
  runtimeBytes: number;
}

interface Diagnostic {
  severity: 'error' | 'warning' | 'info';
  formattedMessage: string;
}

interface CompilerOutput {
  errors?: Diagnostic[];
  contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }>>;
}

interface Compiler {
  compile(request: string): string;
}

/**
 * Compiles Solidity files with the solc of npm (WebAssembly, some twenty seconds, no network).
 *
 * @param names paths relative to the folder of the contracts
 * @returns contracts by `path:Name`
 * @throws Error with the compiler's own messages on errors and on warnings
 */
export function compileContracts(names: readonly string[]): ReadonlyMap<string, CompiledContract> {
  const require = createRequire(import.meta.url);
  const compiler = require('solc') as Compiler;
  const request = {
    language: 'Solidity',
    sources: readWithImports(names, require),
    settings: { ...compilerSettings, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } } },
  };
  const output = JSON.parse(compiler.compile(JSON.stringify(request))) as CompilerOutput;
  const faults = (output.errors ?? []).filter(({ severity }) => severity !== 'info');
  if (faults.length > 0) throw new Error(`The contracts do not compile cleanly:\n${faults.map((fault) => fault.formattedMessage).join('\n')}`);
  const compiled = new Map<string, CompiledContract>();
  for (const [path, contracts] of Object.entries(output.contracts ?? {})) {
    for (const [name, { abi, evm }] of Object.entries(contracts)) {
      compiled.set(`${path}:${name}`, {
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        runtimeBytes: evm.deployedBytecode.object.length / 2,
      });
    }
  }
  return compiled;
}

/** Every `.sol` file of a folder of the contracts, without its subfolders. */
export function solidityFilesIn(folder: string): string[] {
  if (!existsSync(join(contractsFolder, folder))) return [];
  return readdirSync(join(contractsFolder, folder))
    .filter((name) => name.endsWith('.sol'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** The sources with everything that they import, by name. */
function readWithImports(names: readonly string[], require: NodeJS.Require): Record<string, { content: string }> {
  const sources: Record<string, { content: string }> = {};
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (sources[name] !== undefined) continue;
    const own = join(contractsFolder, name);
    const content = readFileSync(existsSync(own) ? own : require.resolve(name), 'utf8');
    sources[name] = { content };
    for (const match of content.matchAll(/^import\s[^;]*?"([^"]+)";/gm)) waiting.push(resolveImport(name, match[1] as string));
  }
  return sources;
}

function resolveImport(from: string, target: string): string {
  return target.startsWith('.') ? join(dirname(from), target).replaceAll('\\', '/') : target;
}
