import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compilerVersion, readWithImports, solidityFilesIn } from '../packages/chain/contracts/compiler/compile.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const contracts = 'packages/chain/contracts';
const findingsFile = `${contracts}/slither.json`;
const version = '0.11.6';
const environment = join(root, 'node_modules', '.cache', `slither-${version}`);

/**
 * Why a Slither finding is not a fault. `where`: "Contract.function" of the first element of the finding, or "*" for all findings
 * of a detector.
 */
interface Explanation {
  check: string;
  where: string;
  reason: string;
}

/** Content of slither.json. */
interface Findings {
  /** `digestOf` of the last analysis without a fault. */
  analysed: string;
  explanations: Explanation[];
}

interface Element {
  type: string;
  name: string;
  type_specific_fields?: { parent?: Element };
}

interface Report {
  success: boolean;
  error: string | null;
  results: { detectors?: { check: string; description: string; elements: Element[] }[] };
}

function run(program: string, words: readonly string[]): { code: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return { code: status, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim() };
}

/**
 * Returns the path of Slither: the program in PATH if it has this version, else a copy that pip installs below node_modules.
 * Returns the reason if neither is available.
 */
function findSlither(): { path: string } | { missing: string } {
  if (run('slither', ['--version']).output === version) return { path: 'slither' };
  const path = join(environment, 'bin', 'slither');
  if (existsSync(path) && run(path, ['--version']).code === 0) return { path };
  if (run('python3', ['--version']).code !== 0) return { missing: 'there is no python3 in PATH' };
  mkdirSync(environment, { recursive: true });
  for (const words of [['python3', '-m', 'venv', '--clear', environment], [join(environment, 'bin', 'pip'), 'install', '--quiet', `slither-analyzer==${version}`]]) {
    const { code, output } = run(words[0] as string, words.slice(1));
    if (code !== 0) return { missing: `"${words.join(' ')}" failed: ${output.split('\n').at(-1)}` };
  }
  return { path };
}

/** Folders whose contracts are never deployed. */
const forTests: readonly string[] = ['reverting', 'test'];

/** Lists every folder with deployed contracts. Reading the folders from disk includes new folders automatically. */
function deployedFolders(): string[] {
  const files = readdirSync(join(root, contracts), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sol'));
  return [...new Set(files.map((name) => dirname(name).replaceAll('\\', '/')))].filter((folder) => !forTests.includes(folder.split('/')[0] as string)).sort();
}

/**
 * Builds the input of the compiler. Slither requires a file at the name of each source, so npm sources are named by their path in
 * node_modules.
 */
function compilerRequest(): string {
  const sources = readWithImports(deployedFolders().flatMap(solidityFilesIn));
  const named = Object.entries(sources).map(([name, source]) => [name.startsWith('@') ? `node_modules/${name}` : `${contracts}/${name}`, source]);
  const settings = { remappings: ['@openzeppelin/=node_modules/@openzeppelin/'], evmVersion: 'cancun', optimizer: { enabled: true, runs: 200 } };
  return JSON.stringify({ language: 'Solidity', sources: Object.fromEntries(named), settings });
}

/** SHA-256 of all that an analysis depends on: the same digest gives the same findings. */
function digestOf(explanations: readonly Explanation[]): string {
  return createHash('sha256').update(JSON.stringify([version, compilerVersion(), compilerRequest(), explanations])).digest('hex');
}

/**
 * Runs Slither and returns its report.
 * @throws Error with the output of Slither if Slither wrote no report
 */
function analyze(slither: string): Report {
  const folder = mkdtempSync(join(tmpdir(), 'vouch-slither-'));
  try {
    const [request, report] = [join(folder, 'request.json'), join(folder, 'report.json')];
    writeFileSync(request, compilerRequest());
    const { output } = run(slither, [
      request, '--compile-force-framework', 'solc-json', '--solc', join(root, contracts, 'compiler', 'solc.mjs'),
      '--filter-paths', 'node_modules', '--json', report,
    ]);
    if (!existsSync(report)) throw new Error(`Slither wrote no report:\n${output}`);
    return JSON.parse(readFileSync(report, 'utf8')) as Report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns "Contract.function", "Contract.function.variable", or the name of a contract. */
function placeOf(element: Element | undefined): string {
  if (element === undefined) return '';
  const parent = element.type_specific_fields?.parent;
  return parent === undefined || parent.type === 'file' || parent.name === '' ? element.name : `${placeOf(parent)}.${element.name}`;
}

/**
 * Runs Slither on the contracts. Every finding must have an explanation in slither.json, and every explanation must match a
 * finding. Writes the digest of an analysis without a fault to slither.json.
 */
function check(slither: string, { explanations }: Findings): number {
  const { success, error, results } = analyze(slither);
  if (!success) throw new Error(`Slither failed: ${error}`);
  const findings = (results.detectors ?? []).map(({ check: name, description, elements }) => ({ name, description, place: placeOf(elements[0]) }));
  const explains = ({ check: name, where }: Explanation, finding: { name: string; place: string }): boolean =>
    name === finding.name && (where === '*' || where === finding.place);
  const unexplained = findings.filter((finding) => !explanations.some((explanation) => explains(explanation, finding)));
  const stale = explanations.filter((explanation) => !findings.some((finding) => explains(explanation, finding)));
  for (const { name, place, description } of unexplained) console.log(`unexplained: ${name} at ${place}\n${description}`);
  for (const { check: name, where } of stale) console.log(`${findingsFile} explains ${name} at ${where}, which Slither does not find`);
  console.log(`Slither ${version}: ${findings.length} findings, ${unexplained.length} unexplained; ${explanations.length} explanations, ${stale.length} stale`);
  if (unexplained.length + stale.length > 0) return 1;
  const path = join(root, findingsFile);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/"analysed": "[0-9a-f]*"/, `"analysed": "${digestOf(explanations)}"`));
  return 0;
}

/** With `--unless-analysed`, ends at once if contracts, compiler, explanations and the version of Slither are those of the last analysis. */
function main(words: readonly string[]): number {
  const findings = JSON.parse(readFileSync(join(root, findingsFile), 'utf8')) as Findings;
  if (words.includes('--unless-analysed') && findings.analysed === digestOf(findings.explanations)) {
    console.log(`Slither ${version} found nothing unexplained in these contracts before (${findingsFile}); scripts/runSlither.ts without --unless-analysed runs it again`);
    return 0;
  }
  const found = findSlither();
  if ('path' in found) return check(found.path, findings);
  console.log(`skipped: Slither ${version} is not here and cannot be installed: ${found.missing}`);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
