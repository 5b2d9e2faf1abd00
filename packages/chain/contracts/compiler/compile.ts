import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Abi } from 'viem';

/** The contracts folder. Source names are relative to this folder, as in foundry.toml. */
export const contractsFolder = fileURLToPath(new URL('../', import.meta.url));

/** Compiler settings. Without `viaIR`, the service would exceed the maximum of 24,576 bytes per contract. */
export const compilerSettings = {
  optimizer: { enabled: true, runs: 200 },
  viaIR: true,
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
} as const;

/** Compiler output of one contract. Bytecode is hex with 0x; `runtimeBytes` is the size that the limit of 24,576 bytes applies to. */
export interface CompiledContract {
  abi: Abi;
  bytecode: `0x${string}`;
  runtimeBytes: number;
  runtime: RuntimeLayout;
}

/** Position of the runtime code within the creation code, and positions of immutable values, in bytes. */
interface RuntimeLayout {
  offset: number;
  length: number;
  /** Start and length of each immutable value, from the start of the runtime code. */
  immutables: readonly (readonly [start: number, length: number])[];
}

/** Standard JSON input of the compiler; block explorers accept the same format. */
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

/** Returns the version, such as `0.8.37+commit.f401782d`, without the suffix of the WebAssembly build. */
export function compilerVersion(): string {
  return loadCompiler().version().split('.').slice(0, 4).join('.');
}

/** Builds the compiler request for Solidity files and all their imports. @throws Error with the path of a missing file */
export function compilerRequest(names: readonly string[]): CompilerRequest {
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'evm.deployedBytecode.immutableReferences'] } };
  return {
    language: 'Solidity',
    sources: readWithImports(names),
    settings: { ...compilerSettings, outputSelection },
  };
}

/**
 * Compiles Solidity files with solc from npm (WebAssembly; about 20 seconds, no network).
 *
 * @param names paths relative to the contracts folder
 * @returns contracts by `path:Name`
 * @throws Error with the compiler's messages if there are errors or warnings
 */
export function compileContracts(names: readonly string[]): ReadonlyMap<string, CompiledContract> {
  return runCompiler(compilerRequest(names), ['error', 'warning']);
}

/** Runs the compiler. @param refused severities that cause an error @throws Error with the compiler's messages of these severities */
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

/** Lists the `.sol` files of a folder in the contracts folder, without its subfolders. */
export function solidityFilesIn(folder: string): string[] {
  if (!existsSync(join(contractsFolder, folder))) return [];
  return readdirSync(join(contractsFolder, folder))
    .filter((name) => name.endsWith('.sol'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** Reads sources with all their imports, by name: a path relative to the contracts folder, or a path of an npm package. */
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
