import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readWithImports, solidityFilesIn } from '../packages/chain/contracts/compiler/compile.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const contracts = 'packages/chain/contracts';
const findingsFile = `${contracts}/slither.json`;
const version = '0.11.6';
const environment = join(root, 'node_modules', '.cache', `slither-${version}`);

/** Why a finding of Slither is no fault. `where`: "Contract.function" of its first element, or "*" for a detector as a whole. */
interface Explanation {
  check: string;
  where: string;
  reason: string;
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

/** Path of a Slither: the one in PATH when it is this version, else one that pip installs below node_modules. A text says why there is none. */
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

/** Folders of sources that are never deployed. */
const forTests: readonly string[] = ['strict', 'test'];

/** Every folder with contracts that are deployed, so that a new one is not forgotten. */
function deployedFolders(): string[] {
  const files = readdirSync(join(root, contracts), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sol'));
  return [...new Set(files.map((name) => dirname(name).replaceAll('\\', '/')))].filter((folder) => !forTests.includes(folder.split('/')[0] as string)).sort();
}

/** The request for the compiler. Slither needs files at the names of sources, so those of npm packages are named by their folder. */
function compilerRequest(): string {
  const sources = readWithImports(deployedFolders().flatMap(solidityFilesIn));
  const named = Object.entries(sources).map(([name, source]) => [name.startsWith('@') ? `node_modules/${name}` : `${contracts}/${name}`, source]);
  const settings = { remappings: ['@openzeppelin/=node_modules/@openzeppelin/'], evmVersion: 'cancun', optimizer: { enabled: true, runs: 200 } };
  return JSON.stringify({ language: 'Solidity', sources: Object.fromEntries(named), settings });
}

/** @throws Error with what Slither printed where it wrote no report */
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

/** "Contract.function", "Contract.function.variable", or the name of a contract. */
function placeOf(element: Element | undefined): string {
  if (element === undefined) return '';
  const parent = element.type_specific_fields?.parent;
  return parent === undefined || parent.type === 'file' || parent.name === '' ? element.name : `${placeOf(parent)}.${element.name}`;
}

/** Runs Slither on the contracts: each finding has to be explained in slither.json, and each explanation has to explain one. */
function check(slither: string): number {
  const { success, error, results } = analyze(slither);
  if (!success) throw new Error(`Slither failed: ${error}`);
  const explanations = JSON.parse(readFileSync(join(root, findingsFile), 'utf8')) as Explanation[];
  const findings = (results.detectors ?? []).map(({ check: name, description, elements }) => ({ name, description, place: placeOf(elements[0]) }));
  const explains = ({ check: name, where }: Explanation, finding: { name: string; place: string }): boolean =>
    name === finding.name && (where === '*' || where === finding.place);
  const unexplained = findings.filter((finding) => !explanations.some((explanation) => explains(explanation, finding)));
  const stale = explanations.filter((explanation) => !findings.some((finding) => explains(explanation, finding)));
  for (const { name, place, description } of unexplained) console.log(`unexplained: ${name} at ${place}\n${description}`);
  for (const { check: name, where } of stale) console.log(`${findingsFile} explains ${name} at ${where}, which Slither does not find`);
  console.log(`Slither ${version}: ${findings.length} findings, ${unexplained.length} unexplained; ${explanations.length} explanations, ${stale.length} stale`);
  return unexplained.length + stale.length === 0 ? 0 : 1;
}

const found = findSlither();
if ('missing' in found) console.log(`skipped: Slither ${version} is not here and cannot be installed: ${found.missing}`);
else process.exitCode = check(found.path);
