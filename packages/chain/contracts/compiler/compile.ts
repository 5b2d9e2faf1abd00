import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Abi } from 'viem';

/** The folder of the contracts; source names are relative to it, as in foundry.toml. */
export const contractsFolder = fileURLToPath(new URL('../', import.meta.url));

/** What the compiler is asked for beside sources. Without `viaIR` the service has more than the 24,576 bytes that a chain takes. */
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
  runtime: RuntimeLayout;
}

/** Where the code that a chain keeps is in the code that makes it, and which of its bytes are filled in while it is made; in bytes. */
interface RuntimeLayout {
  offset: number;
  length: number;
  /** Beginning and length of each place of an immutable value, from the beginning of the runtime code. */
  immutables: readonly (readonly [start: number, length: number])[];
}

/** What the compiler is given, as explorers of chains take it too. */
interface CompilerRequest {
  language: 'Solidity';
  sources: Record<string, { content: string }>;
  settings: object;
}

interface Diagnostic {
  severity: 'error' | 'warning' | 'info';
  formattedMessage: string;
}

interface CodePlace {
  start: number;
  length: number;
}

interface ContractOutput {
  abi: Abi;
  evm: { bytecode: { object: string }; deployedBytecode: { object: string; immutableReferences?: Record<string, CodePlace[]> } };
}

interface CompilerOutput {
  errors?: Diagnostic[];
  contracts?: Record<string, Record<string, ContractOutput>>;
}

interface Compiler {
  compile(request: string): string;
  version(): string;
}

function loadCompiler(): Compiler {
  return createRequire(import.meta.url)('solc') as Compiler;
}

/** Such as `0.8.37+commit.f401782d`, without what the build for WebAssembly adds. */
export function compilerVersion(): string {
  return loadCompiler().version().split('.').slice(0, 4).join('.');
}

/** The request for Solidity files and all that they import. @throws Error naming a file that is not there */
export function compilerRequest(names: readonly string[]): CompilerRequest {
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'evm.deployedBytecode.immutableReferences'] } };
  return {
    language: 'Solidity',
    sources: readWithImports(names),
    settings: { ...compilerSettings, outputSelection },
  };
}

/**
 * Compiles Solidity files with the solc of npm (WebAssembly, some twenty seconds, no network).
 *
 * @param names paths relative to the folder of the contracts
 * @returns contracts by `path:Name`
 * @throws Error with the compiler's own messages on errors and on warnings
 */
export function compileContracts(names: readonly string[]): ReadonlyMap<string, CompiledContract> {
  return runCompiler(compilerRequest(names), ['error', 'warning']);
}

/** Answers a request, as `compileContracts` does. @throws Error with the compiler's own messages of the severities that are refused */
export function runCompiler(request: CompilerRequest, refused: readonly Diagnostic['severity'][]): ReadonlyMap<string, CompiledContract> {
  const output = JSON.parse(loadCompiler().compile(JSON.stringify(request))) as CompilerOutput;
  const faults = (output.errors ?? []).filter(({ severity }) => refused.includes(severity));
  if (faults.length > 0) throw new Error(`The contracts do not compile cleanly:\n${faults.map((fault) => fault.formattedMessage).join('\n')}`);
  const compiled = new Map<string, CompiledContract>();
  for (const [path, contracts] of Object.entries(output.contracts ?? {})) {
    for (const [name, { abi, evm }] of Object.entries(contracts)) {
      compiled.set(`${path}:${name}`, {
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        runtimeBytes: evm.deployedBytecode.object.length / 2,
        runtime: layoutOf(evm),
      });
    }
  }
  return compiled;
}

function layoutOf({ bytecode, deployedBytecode }: ContractOutput['evm']): RuntimeLayout {
  const places = Object.values(deployedBytecode.immutableReferences ?? {}).flat().map(({ start, length }) => [start, length] as const);
  return {
    offset: bytecode.object.indexOf(deployedBytecode.object) / 2,
    length: deployedBytecode.object.length / 2,
    immutables: places.toSorted(([first], [second]) => first - second),
  };
}

/** Every `.sol` file of a folder of the contracts, without its subfolders. */
export function solidityFilesIn(folder: string): string[] {
  if (!existsSync(join(contractsFolder, folder))) return [];
  return readdirSync(join(contractsFolder, folder))
    .filter((name) => name.endsWith('.sol'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** The sources with everything that they import, by name: a path relative to the folder of the contracts, or that of an npm package. */
export function readWithImports(names: readonly string[]): Record<string, { content: string }> {
  const require = createRequire(import.meta.url);
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
