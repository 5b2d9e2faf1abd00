import { posix } from 'node:path';
import { importsOf, type SourceFile } from './sourceText.ts';

/** The files that each file imports, for values or types, within one set of files. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Returns the path of the imported file, for relative imports and imports by the name of a workspace package. Returns null for
 * libraries and built-in modules.
 */
export function importedFile(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const named = /^@vouch\/(.+)$|^(vouch\/.+)$/.exec(specifier);
  if (named === null) return null;
  const path = `packages/${named[1] ?? named[2]}`;
  return /\.\w+$/.test(path) ? path : `${path}.ts`;
}

/** Builds the import graph of the given files. Ignores imports of other files. */
export function importGraph(files: readonly SourceFile[]): ImportGraph {
  const paths = new Set(files.map(({ path }) => path));
  return new Map(files.map(({ path, text }) => {
    const targets = importsOf(text).map(({ specifier }) => importedFile(path, specifier));
    return [path, new Set(targets.filter((target): target is string => target !== null && paths.has(target)))];
  }));
}

/** One import between two folders of one package. */
interface FolderImport {
  from: string;
  to: string;
  example: string;
}

/**
 * Returns the pairs of folders of one package that import each other: `a <> b`, sorted, with one example import per direction.
 */
export function twoWayPairs(graph: ImportGraph): Map<string, string> {
  const imports = new Map<string, FolderImport>();
  for (const [path, targets] of graph) {
    for (const target of targets) {
      const from = posix.dirname(path);
      const to = posix.dirname(target);
      if (from === to || packageOf(path) !== packageOf(target)) continue;
      if (!imports.has(`${from} ${to}`)) imports.set(`${from} ${to}`, { from, to, example: `${path} imports ${target}` });
    }
  }
  const pairs = new Map<string, string>();
  for (const { from, to, example } of imports.values()) {
    const back = imports.get(`${to} ${from}`);
    if (from < to && back !== undefined) pairs.set(`${from} <> ${to}`, `${example}; ${back.example}`);
  }
  return new Map([...pairs].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Returns the package of a path below `packages/`. */
function packageOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/**
 * Returns the rooms (folders) that are entered from one other room only and are not below that room, as `room < user`, sorted. Such a
 * room is a part of its user. Rooms of different compartments do not count: what another compartment imports is a public entry.
 * @param compartmentOf returns the compartment of a room: its package, or its engine
 */
export function roomsWithOneUser(graph: ImportGraph, compartmentOf: (room: string) => string): string[] {
  const users = new Map<string, Set<string>>();
  for (const [path, targets] of graph) {
    const from = posix.dirname(path);
    for (const target of targets) {
      const room = posix.dirname(target);
      if (room !== from) users.set(room, (users.get(room) ?? new Set()).add(from));
    }
  }
  return [...users].flatMap(([room, [user = '', ...others]]) => {
    const isPart = others.length === 0 && compartmentOf(user) === compartmentOf(room) && !room.startsWith(`${user}/`);
    return isPart ? [`${room} < ${user}`] : [];
  }).toSorted();
}

/** Returns every file on an import cycle, with a shortest cycle through the file, in the form `a → b → a`. */
export function cycles(graph: ImportGraph): Map<string, string> {
  const found = new Map<string, string>();
  for (const start of graph.keys()) {
    const cycle = shortestCycle(graph, start);
    if (cycle !== null) found.set(start, cycle.join(' → '));
  }
  return found;
}

/** Breadth-first search for a shortest path from a file back to the same file. */
function shortestCycle(graph: ImportGraph, start: string): string[] | null {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const target of graph.get(file) ?? []) {
      if (target === start) {
        const way = [start];
        for (let step = file; step !== start; step = cameFrom.get(step) as string) way.unshift(step);
        return [start, ...way];
      }
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, file);
      queue.push(target);
    }
  }
  return null;
}
