import { createHash } from 'node:crypto';
import { compileContracts, compilerRequest, compilerSettings, compilerVersion, solidityFilesIn, type CompiledContract } from './compile.ts';

/**
 * Sources that are compiled together, because the generated code depends on all files of a compiler request. `service` contains the
 * contracts of every deployment, `production` the additional contracts of real chains.
 */
const units = {
  service: ['solidity', 'solidity/interfaces', 'reverting'].flatMap(solidityFilesIn),
  production: [...solidityFilesIn('coordinator'), '@openzeppelin/contracts/governance/TimelockController.sol'],
} as const;

export type Unit = keyof typeof units;

/** Returns the source files of a unit, without their imports. */
export function filesOfUnit(unit: Unit): readonly string[] {
  return units[unit];
}

/** A contract with generated files: `bytecode/<name>.ts` and, unless `docs` is null, `abi/<name>.ts`. */
interface Kept {
  /** `path:Name` of the contract in the sources. */
  contract: string;
  /** File name without extension, also the prefix of the exported names. */
  name: string;
  /** Doc comment of the ABI; null if callers use the ABI of another contract. */
  docs: string | null;
  /** Default: `service`. */
  unit?: Unit;
}

const kept: readonly Kept[] = [
  {
    contract: 'solidity/VerifierService.sol:VerifierService',
    name: 'verifierService',
    docs: `
 * The service: registry of nodes, reports, rewards. Selectors, event topics and struct layouts are those of the deployed
 * upstream service, so clients of one contract work with the other; additions to the upstream service are documented here.
 *
 * Outcomes. \`OperationApplied(digest, signer)\` means that a signed enter, exit, commission or claimer took effect. A signed
 * report counts when it is an element of \`infos\` in \`NodeReportVerificationBatch\`; a \`ReportSkipped(attestationID,
 * signer, index, position, reason)\` contains the reason if the report does not count, with the revert texts ("Already verify" means that
 * an earlier report of the node counts). \`CallFailed(index, reason)\` means that call \`index\` of a \`multicall\` changed
 * nothing; \`reason\` is its revert data. Empty means that the call ran out of gas and can be sent again, or that the function does not exist.
 *
 * Isolation. \`supportsIsolation()\` returns true; the call reverts or returns nothing at a contract that reverts a whole
 * batch for one invalid entry.
 *
 * Replay. \`usedDigest(digest, signer)\` returns whether one of the four rare operations already took effect (sending it again
 * reverts with "Digest already used"); for reports use \`attestationVerifiedNode(attestationID, node)\`, or
 * \`voteAt(attestationID, index)\` for the vote itself (0 none, otherwise 1 + result).
 *
 * \`eip712Domain()\` (ERC-5267) and \`eip712DomainHash()\` return the signing domain.`,
  },
  { contract: 'solidity/DisputableSlasher.sol:DisputableSlasher', name: 'disputableSlasher', docs: '\n * Slashing of votes against a verdict: proposed, disputable for a period, then executed.' },
  { contract: 'solidity/Settings.sol:Settings', name: 'settings', docs: '\n * Settings of a deployment, most of which the owner can change.' },
  { contract: 'solidity/License.sol:License', name: 'license', docs: '\n * Licenses of verifier nodes: an ERC-721.' },
  { contract: 'solidity/RewardPool.sol:RewardPool', name: 'rewardPool', docs: '\n * The tokens that rewards are paid from.' },
  { contract: 'solidity/RewardToken.sol:RewardToken', name: 'rewardToken', docs: '\n * An ERC-20 for chains that have no reward token yet.' },
  { contract: 'solidity/LocalRandomness.sol:LocalRandomness', name: 'localRandomness', docs: '\n * The deterministic source of random words of local chains.' },
  { contract: 'solidity/Multicall3.sol:Multicall3', name: 'multicall3', docs: '\n * Several calls in one transaction, each of which may be allowed to fail.' },
  { contract: 'coordinator/CoordinatorRandomness.sol:CoordinatorRandomness', name: 'coordinatorRandomness', docs: '\n * The source of random words behind a coordinator.', unit: 'production' },
  { contract: '@openzeppelin/contracts/governance/TimelockController.sol:TimelockController', name: 'timelock', docs: '\n * OpenZeppelin\'s timelock: contracts that it owns change only after a delay.', unit: 'production' },
  { contract: 'coordinator/LocalCoordinator.sol:LocalCoordinator', name: 'localCoordinator', docs: '\n * A coordinator of random words for local chains and tests.', unit: 'production' },
  // Only for tests. Constructor and functions are the same as those of the service.
  { contract: 'reverting/RevertingService.sol:RevertingService', name: 'revertingService', docs: null },
  { contract: 'reverting/RevertingDaysService.sol:RevertingDaysService', name: 'revertingDaysService', docs: null },
];

/** Returns the paths of the generated files, relative to the contracts folder. */
export function generatedPaths(): string[] {
  return [...kept.flatMap(({ name, docs }) => [...(docs === null ? [] : [`abi/${name}.ts`]), `bytecode/${name}.ts`]), 'bytecode/build.ts'];
}

/** A generated file: its path relative to the contracts folder, and its text. */
interface GeneratedFile {
  path: string;
  text: string;
}

/** Compiles all contracts and returns the generated files. The result depends only on the sources. @throws Error from the compiler */
export function generateFiles(): GeneratedFile[] {
  const compiled = new Map((Object.keys(units) as Unit[]).map((unit) => [unit, compileContracts(units[unit])]));
  const found = kept.map((entry) => ({ ...entry, unit: entry.unit ?? 'service', made: findContract(compiled.get(entry.unit ?? 'service'), entry.contract) }));
  const files = found.flatMap(({ name, docs, made }) => {
    const bytecode = { path: `bytecode/${name}.ts`, text: bytecodeText(name, made) };
    return docs === null ? [bytecode] : [{ path: `abi/${name}.ts`, text: abiText(name, docs, made) }, bytecode];
  });
  const build = { path: 'bytecode/build.ts', text: buildText(found) };
  return [...files, { ...build, text: build.text.replace(noDigest, `'${filesDigest([...files, build])}'`) }];
}

/**
 * Computes the SHA-256, in hex, of the paths and texts of the generated files. The digest in `bytecode/build.ts` itself is left out. The
 * digest reveals generated files that were edited by hand.
 */
export function filesDigest(files: readonly GeneratedFile[]): string {
  const texts = files.map(({ path, text }) => [path, text.replace(/(filesDigest: )'[0-9a-f]*'/, `$1${noDigest}`)]);
  return createHash('sha256').update(JSON.stringify(texts.toSorted(([first = ''], [second = '']) => (first < second ? -1 : 1)))).digest('hex');
}

function findContract(compiled: ReadonlyMap<string, CompiledContract> | undefined, contract: string): CompiledContract {
  const found = compiled?.get(contract);
  if (found === undefined) throw new Error(`The compiler made no ${contract}; it made: ${[...(compiled?.keys() ?? [])].join(', ')}.`);
  return found;
}

/** Placeholder in `bytecode/build.ts` until the digest is computed. */
const noDigest = "''";

const notice = '// Generated from the Solidity sources by compiler/writeArtifacts.ts; change the sources instead.';

function abiText(name: string, docs: string, { abi }: CompiledContract): string {
  const items = abi.map((item) => `  ${JSON.stringify(item)},`);
  return `${notice}\n\n/**${docs}\n */\nexport const ${name}Abi = [\n${items.join('\n')}\n] as const;\n`;
}

function bytecodeText(name: string, { bytecode, runtimeBytes }: CompiledContract): string {
  return `${notice}\n\n/** ${runtimeBytes} bytes when deployed. */\nexport const ${name}Bytecode: \`0x\${string}\` = '${bytecode}';\n`;
}

/** Returns the text of `bytecode/build.ts`: the facts that verifying a deployment needs. */
function buildText(found: readonly (Kept & { unit: Unit; made: CompiledContract })[]): string {
  const compiler = compilerVersion();
  const digests = (Object.keys(units) as Unit[]).map((unit) => `    ${unit}: '${sourceDigest(unit, compiler)}',`);
  const runtimes = found.map(({ name, contract, unit, made: { runtime: { offset, length, immutables } } }) =>
    `  ${name}: { contract: '${contract}', unit: '${unit}', offset: ${offset}, length: ${length}, immutables: ${JSON.stringify(immutables)} },`);
  return `${notice}

/**
 * Compiler of the generated code, its settings, the SHA-256 of each compiled unit (its sources and settings as standard JSON input), and
 * the SHA-256 of the generated files.
 */
export const build = {
  compiler: '${compiler}',
  settings: ${JSON.stringify(compilerSettings)},
  sourceDigests: {
${digests.join('\n')}
  },
  filesDigest: ${noDigest},
} as const;

/**
 * Where in its creation code the code is that a chain keeps of a contract, in bytes, and the places of immutable values in there: [start,
 * length], from the beginning of the kept code.
 */
export const runtimes = {
${runtimes.join('\n')}
} as const;
`;
}

/**
 * Computes the SHA-256, in hex, of everything that determines the code of a unit: sources, settings and compiler version.
 * @param compiler version of the compiler, such as `0.8.37+commit.f401782d`
 */
export function sourceDigest(unit: Unit, compiler: string): string {
  const { sources } = compilerRequest(units[unit]);
  const sorted = Object.entries(sources).toSorted(([first], [second]) => (first < second ? -1 : 1));
  return createHash('sha256').update(JSON.stringify([compiler, compilerSettings, sorted])).digest('hex');
}
