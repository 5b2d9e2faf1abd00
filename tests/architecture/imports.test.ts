import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, lineAt, loadSources, stripSource, type SourceFile } from './sourceText.ts';

/**
 * Allowed imports from other packages of this repository: all folders of a package, or only some of its top-level folders
 * ("rooms").
 */
type Allowed = Readonly<Record<string, readonly string[] | 'every room'>>;

const everyRoomOf = (...packages: string[]): Allowed => Object.fromEntries(packages.map((name) => [name, 'every room' as const]));

/** Allowed imports of each package. Products (recommender, video, gateway) never import each other. */
const table: Readonly<Record<string, Allowed>> = {
  platform: {},
  recommender: everyRoomOf('platform'),
  video: everyRoomOf('platform'),
  chain: { platform: ['errors', 'log', 'outbound', 'process'] },
  gateway: everyRoomOf('platform', 'chain'),
  verifier: { platform: ['config', 'conformance', 'errors', 'log', 'http', 'outbound', 'process', 'product', 'webhooks'], chain: 'every room' },
  client: {},
  console: { client: 'every room', recommender: ['batches', 'models', 'recommendations'], video: ['runs'], gateway: ['records'] },
  vouch: everyRoomOf('platform', 'recommender', 'video', 'chain', 'gateway', 'verifier', 'client', 'console'),
};

/** Folders of engines. An engine depends on nothing else, so that it could be published as a separate package. */
const engineFolder = /^packages\/[^/]+\/engine\//;
const enginePlatformRooms = ['errors', 'process'];
const engineForbidden = /^(?:fastify|@fastify\/|pg$|undici|@duckdb\/|@aws-sdk\/|smol-toml|node:(?:http|https|http2|net|tls|dgram|dns)$)/;

const sources = loadSources('packages', (path) => /\.tsx?$/.test(path));
const isTest = (path: string): boolean => path.endsWith('.test.ts');
/** Tests and their shared code may use the test helpers of each package that their own package may import. */
const isHelper = (path: string): boolean => isTest(path) || path.includes('/testing/');

interface Target {
  package: string;
  room: string;
}

/** Returns the package and top-level folder ("room") of an import; null for libraries and built-in modules. */
function resolveImport(from: string, specifier: string): Target | null {
  const path = specifier.startsWith('.')
    ? posix.join(posix.dirname(from), specifier)
    : specifier.replace(/^@vouch\//, 'packages/').replace(/^vouch(?=\/|$)/, 'packages/vouch');
  const [top, name, room = ''] = path.split('/');
  return top === 'packages' && name !== undefined ? { package: name, room } : null;
}

function forbiddenImport(file: SourceFile, specifier: string): string | null {
  const own = file.path.split('/')[1] as string;
  const target = resolveImport(file.path, specifier);
  if (engineFolder.test(file.path) && !isTest(file.path)) {
    if (engineForbidden.test(specifier)) return 'an engine has no database, no HTTP and no configuration';
    if (target?.package === own && target.room !== 'engine') return 'an engine imports nothing else of its package';
    if (target?.package === 'platform' && !enginePlatformRooms.includes(target.room)) {
      return `an engine imports only platform/{${enginePlatformRooms.join(',')}}`;
    }
  }
  if (target === null) return specifier.startsWith('.') ? 'it leads out of packages/' : null;
  if (target.package === own) return null;
  if (specifier.startsWith('.')) return 'another package is imported by its name, not by a path';
  const rooms = table[own]?.[target.package];
  if (rooms === undefined) return `${own} may not import ${target.package}`;
  if (own === 'console' && target.package !== 'client' && !specifier.endsWith('.schema')) return 'the console knows products by their schemas only';
  if (target.room === 'testing' && isHelper(file.path)) return null;
  if (rooms !== 'every room' && !rooms.includes(target.room)) return `${own} may import only ${target.package}/{${rooms.join(',')}}`;
  return null;
}

/** Direct calls of clock, random numbers or network that bypass the injected interfaces (systemInterfaces.ts). */
const systemCalls: Readonly<Record<string, RegExp>> = {
  'Date.now': /\bDate\.now\b/g,
  'new Date()': /\bnew\s+Date\s*(?:\(\s*\)|(?=[;,)]))/g,
  setTimeout: /(?<![.\w$])(?:globalThis\.)?setTimeout\s*\(/g,
  setInterval: /(?<![.\w$])(?:globalThis\.)?setInterval\s*\(/g,
  'Math.random': /\bMath\.random\b/g,
  // Also matches `fetch` passed as a value, but not `fetch` as the key of an object.
  fetch: /(?<![.\w$])(?:globalThis\.)?(?:fetch\b(?!\s*\??:)|(?:WebSocket|EventSource|XMLHttpRequest)\b)/g,
};

const tests = /\.(?:test|fixture)\.ts$|\/(?:fixtures?|testing)\/|(?:\/test|Test)[A-Z]\w*\.ts$/;

/** Files that may make direct calls, with the reason. */
const exceptions: readonly { path: RegExp; calls: readonly string[]; reason: string }[] = [
  { path: tests, calls: Object.keys(systemCalls), reason: 'tests are outside of the simulation' },
  { path: /^packages\/platform\/process\//, calls: Object.keys(systemCalls).filter((call) => call !== 'fetch'), reason: 'the interfaces themselves' },
  { path: /^packages\/vouch\/commands\//, calls: ['Date.now', 'new Date()'], reason: 'a command runs in the real world' },
  { path: /^packages\/(?:client|console)\//, calls: Object.keys(systemCalls), reason: 'runs at the user, in a browser' },
];

function findSystemCalls(file: SourceFile): string[] {
  const allowed = new Set(exceptions.filter(({ path }) => path.test(file.path)).flatMap(({ calls }) => calls));
  const code = stripSource(file.text, false);
  const calls = Object.entries(systemCalls).filter(([name]) => !allowed.has(name));
  const breaches = calls.flatMap(([name, pattern]) =>
    [...code.matchAll(pattern)].map((match) => `${file.path}:${lineAt(code, match.index)} ${name}`),
  );
  if (allowed.has('setTimeout')) return breaches;
  const timers = importsOf(file.text).filter(({ specifier }) => /^(?:node:)?timers(?:\/promises)?$/.test(specifier));
  return [...breaches, ...timers.map(({ line, specifier }) => `${file.path}:${line} ${specifier}`)];
}

/**
 * The only folder that may send HTTP requests. Its client guards against private IP addresses, has limits, and survives every
 * response.
 */
const httpClientFolder = /^packages\/platform\/outbound\//;
const httpClients: readonly { from: RegExp; names: RegExp }[] = [
  // undici, the implementation of fetch, throws from a socket event if a response without a length meets a slow reader.
  { from: /^undici(?:\/|$)/, names: /./ },
  { from: /^(?:node:)?https?$/, names: /^(?:request|get|Agent|\*|default)$/ },
  { from: /^(?:node:)?http2$/, names: /^(?:connect|\*|default)$/ },
  { from: /^viem(?:\/|$)/, names: /^(?:http|webSocket|ipc|fallback|create\w*Client|\*|default)$/ },
];

function httpBreaches({ path, text }: SourceFile): string[] {
  if (httpClientFolder.test(path) || tests.test(path)) return [];
  return importsOf(text).flatMap(({ specifier, line, names }) => {
    const found = httpClients.filter(({ from }) => from.test(specifier)).flatMap((client) => names.filter((name) => client.names.test(name)));
    return found.map((name) => `${path}:${line} imports ${name} from ${specifier}`);
  });
}

describe('the house', () => {
  it('has only packages that the import table knows', () => {
    expect(sources.length).toBeGreaterThan(10);
    const unknown = sources.map((file) => file.path.split('/')[1] as string).filter((name) => table[name] === undefined);
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('imports only what the table allows', () => {
    const breaches = sources.flatMap((file) =>
      importsOf(file.text).flatMap(({ specifier, line }) => {
        const reason = forbiddenImport(file, specifier);
        return reason === null ? [] : [`${file.path}:${line} imports ${specifier}: ${reason}`];
      }),
    );
    expect(breaches).toEqual([]);
  });

  it('has no barrels', () => {
    expect(sources.map((file) => file.path).filter((path) => /(?:^|\/)index\.tsx?$/.test(path))).toEqual([]);
  });

  it('gets time, randomness and network access only through the injected interfaces', () => {
    expect(sources.flatMap(findSystemCalls)).toEqual([]);
  });

  it('sends HTTP requests only through packages/platform/outbound, and depends on no other HTTP client', () => {
    expect(sources.flatMap(httpBreaches)).toEqual([]);
    const manifests = loadSources('.', (path) => /^(?:packages\/[^/]+\/)?package\.json$/.test(path));
    expect(manifests.length).toBeGreaterThan(5);
    expect(manifests.filter(({ text }) => /"(?:undici|node-fetch|axios|got|ws)"/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('reads the command lines of benchmarks and tests only through bench/harness/parseCommandLine.ts, which knows --help and ends without a stack trace', () => {
    const programs = [...loadSources('bench', (path) => path.endsWith('.ts')), ...loadSources('tests', (path) => path.endsWith('.ts'))];
    const readers = programs.filter(({ text }) => importsOf(text).some(({ specifier, names }) => specifier === 'node:util' && names.includes('parseArgs')));
    expect(readers.map(({ path }) => path)).toEqual(['bench/harness/parseCommandLine.ts']);
  });

  it('has no source file of more than 300 lines', () => {
    const long = sources.filter(({ text }) => !text.startsWith('// Written by '))
      .map((file) => ({ path: file.path, lines: file.text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > 300);
    // Test files with tables of cases may exceed the limit; they are only reported.
    for (const { path, lines } of long.filter((file) => isTest(file.path))) console.warn(`${path} has ${lines} lines`);
    expect(long.filter((file) => !isTest(file.path))).toEqual([]);
  });
});

describe('the import table', () => {
  const reason = (path: string, specifier: string): string | null => forbiddenImport({ path, text: '' }, specifier);

  it('refuses what it is there to refuse', () => {
    expect(reason('packages/recommender/batches/x.ts', '@vouch/video/runs/y')).toContain('may not import video');
    expect(reason('packages/platform/log/x.ts', '@vouch/recommender/product')).toContain('may not import recommender');
    expect(reason('packages/chain/rpc/x.ts', '@vouch/platform/database/database')).toContain('only platform/{errors,log,outbound,process}');
    expect(reason('packages/recommender/engine/x.ts', '@vouch/platform/log/logger')).toContain('only platform/{errors,process}');
    expect(reason('packages/recommender/engine/x.ts', '../batches/y.ts')).toContain('nothing else of its package');
    expect(reason('packages/recommender/engine/x.ts', '@duckdb/node-api')).toContain('no database');
    expect(reason('packages/recommender/models/x.ts', '../../platform/log/logger.ts')).toContain('by its name');
    expect(reason('packages/platform/log/x.ts', '../../../bench/harness/y.ts')).toContain('out of packages/');
    expect(reason('packages/recommender/models/x.ts', 'vouch/serve')).toContain('may not import vouch');
    expect(reason('packages/console/pages/x.tsx', '@vouch/video/runs/runStore')).toContain('schemas only');
  });

  it('lets pass what it allows', () => {
    expect(reason('packages/recommender/models/x.ts', '@vouch/platform/database/database')).toBeNull();
    expect(reason('packages/recommender/engine/x.ts', '@vouch/platform/errors/problem')).toBeNull();
    expect(reason('packages/recommender/models/x.ts', '../engine/y.ts')).toBeNull();
    expect(reason('packages/vouch/serve.ts', '@vouch/recommender/product')).toBeNull();
    expect(reason('packages/platform/http/x.ts', 'fastify')).toBeNull();
  });

  it('reports each direct call, and no call of an injected interface', () => {
    const text = 'Date.now(); new Date(); setTimeout(f, 1); setInterval(f); Math.random(); fetch(u);';
    expect(findSystemCalls({ path: 'packages/platform/log/x.ts', text }).length).toBe(6);
    expect(findSystemCalls({ path: 'packages/platform/process/systemInterfaces.ts', text })).toEqual(['packages/platform/process/systemInterfaces.ts:1 fetch']);
    const through = "clock.now(); new Date(ms); server.setTimeout(5); client.fetch(u); ({ fetch: whole }); clearTimeout(t); // Date.now()\nconst a = 'fetch()';";
    expect(findSystemCalls({ path: 'packages/platform/log/x.ts', text: through })).toEqual([]);
    for (const handed of ['run(fetch);', 'const f = fetch;', 'type F = typeof fetch;', 'globalThis.fetch(u);', 'new WebSocket(u);']) {
      expect(findSystemCalls({ path: 'packages/vouch/commands/x.ts', text: handed })).toEqual(['packages/vouch/commands/x.ts:1 fetch']);
    }
    const imported = "import { setTimeout as sleep } from 'node:timers/promises';";
    expect(findSystemCalls({ path: 'packages/platform/log/x.ts', text: imported })).toEqual(['packages/platform/log/x.ts:1 node:timers/promises']);
  });

  it('reports each HTTP client outside of packages/platform/outbound, and no server', () => {
    const breaches = (text: string, path = 'packages/chain/rpc/x.ts'): string[] => httpBreaches({ path, text });
    for (const text of ["import { Agent } from 'undici';", "import { get } from 'node:https';", "import * as h from 'http';", "import { createClient } from 'viem';", "await import('undici');"]) {
      expect(breaches(text).length).toBe(1);
    }
    expect(breaches("import { createServer, type Agent } from 'node:http';\nimport { keccak256 } from 'viem';\nimport type { Dispatcher } from 'undici';")).toEqual([]);
    expect(breaches("import { request } from 'node:http';", 'packages/platform/outbound/x.ts')).toEqual([]);
  });
});
