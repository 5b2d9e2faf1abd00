import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compilerRequest, runCompiler } from '../compiler/compile.ts';
import { runForge, type Suites } from '../test/support/runForge.ts';
import type { Mutant } from './mutants.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Result for a mutant: the first failing test as "file contract.test", or null if the mutant survived all tests. */
export interface Judged {
  mutant: Mutant;
  caughtBy: string | null;
}

// The tests read the code from files, so a mutant costs one compilation of one contract and none of the tests. Compiling without viaIR
// takes half the time; the resulting code exceeds the size limit of chains and has different gas costs.
const environment = { FOUNDRY_CODE_SIZE_LIMIT: '100000', FOUNDRY_OUT: 'out', FOUNDRY_CACHE_PATH: 'cache' };
// Histories detect what the other tests miss, but take longer, so they run last.
const quick = ['--fail-fast', '--no-match-path', '*/test/{Gas,Invariants}.t.sol'];
const histories = ['--fail-fast', '--match-path', '*Invariants.t.sol'];

/** A copy of the contracts and their tests; its generated code is replaced for each mutant. */
interface Copy {
  folder: string;
  /** Unmutated code by contract file. */
  original: Map<string, string>;
}

/**
 * Compiles each mutant and runs the Solidity tests on its code until one fails.
 *
 * @param tell called with each mutant when its result is known
 * @throws Error if a mutant does not compile or has the code of the original, or if the tests fail without a mutant
 */
export async function catchMutants(forge: string, mutants: readonly Mutant[], tell: (judged: Judged) => void): Promise<Judged[]> {
  const waiting = [...mutants];
  const judged: Judged[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'vouch-mutants-'));
  try {
    const first = await prepareCopy(join(folder, 'first'), mutants);
    const failing = failingIn(await runForge(forge, { words: quick, environment, folder: first.folder }));
    if (failing !== null) throw new Error(`The tests fail without a mutant: ${failing}`);
    const second = { ...first, folder: join(folder, 'second') };
    await cp(first.folder, second.folder, { recursive: true, verbatimSymlinks: true });
    // Two copies run concurrently: while one compiles in this process, forge runs the tests of the other.
    await Promise.all([first, second].map(async (copy) => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const one = { mutant, caughtBy: await judge(forge, copy, mutant) };
        judged.push(one);
        tell(one);
      }
    }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return judged;
}

async function prepareCopy(folder: string, mutants: readonly Mutant[]): Promise<Copy> {
  for (const path of ['packages/chain/contracts', 'packages/chain/messages/fixtures']) await cp(join(root, path), join(folder, path), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const copy: Copy = { folder, original: new Map() };
  for (const file of new Set(mutants.map(contractOf))) {
    const code = compile(file, null);
    copy.original.set(file, code);
    await writeCode(copy, file, code);
  }
  return copy;
}

async function judge(forge: string, copy: Copy, mutant: Mutant): Promise<string | null> {
  const file = contractOf(mutant);
  const code = compile(file, mutant);
  const original = copy.original.get(file) as string;
  if (code === original) throw new Error(`The mutant has the code of the original: ${mutant.file}, ${mutant.what}`);
  await writeCode(copy, file, code);
  const caughtBy = await firstFailing(forge, copy);
  await writeCode(copy, file, original);
  return caughtBy;
}

/** Returns the file of the contract that a source belongs to: the parts of the service are in a subfolder. */
function contractOf({ file }: Mutant): string {
  return file.replace(/\/service\/.*/, '/VerifierService.sol');
}

function compile(file: string, mutant: Mutant | null): string {
  const request = compilerRequest([file]);
  const changed = request.sources[mutant?.file ?? ''];
  if (mutant !== null && changed !== undefined) changed.content = changed.content.replace(mutant.find, () => mutant.replace);
  const settings = { ...request.settings, viaIR: false, outputSelection: { [file]: { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } } };
  const compiled = [...runCompiler({ ...request, settings }, ['error'])];
  return (compiled.find(([name]) => name.startsWith(`${file}:`)) as NonNullable<(typeof compiled)[number]>)[1].bytecode;
}

/** Writes code in the format that `test/support/Deployed.sol` reads: the only text in single quotes. */
async function writeCode({ folder }: Copy, file: string, code: string): Promise<void> {
  const contract = basename(file, '.sol');
  const name = contract.charAt(0).toLowerCase() + contract.slice(1);
  await writeFile(join(folder, `packages/chain/contracts/bytecode/${name}.ts`), `'${code}'\n`);
}

async function firstFailing(forge: string, { folder }: Copy): Promise<string | null> {
  for (const words of [quick, histories]) {
    const failing = failingIn(await runForge(forge, { words, environment, folder }));
    if (failing !== null) return failing;
  }
  return null;
}

function failingIn(suites: Suites): string | null {
  for (const [file, results] of suites) {
    const failing = Object.entries(results).find(([, { status }]) => status === 'Failure');
    if (failing !== undefined) return `${file} ${failing[0].replace(/\(.*/, '')}`;
  }
  return null;
}
