import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A secret text and a public name for it. */
export interface Secret {
  name: string;
  text: string;
}

/**
 * Searches a text for secrets, ignoring case.
 * @returns descriptions of the secrets found and their place
 */
export function findInText(where: string, text: string, secrets: readonly Secret[]): string[] {
  const lower = text.toLowerCase();
  return secrets.filter((secret) => lower.includes(secret.text.toLowerCase())).map(({ name }) => `${name} in ${where}`);
}

/** Searches the process list, and the command line and environment of every readable process. */
export function findInProcesses(secrets: readonly Secret[]): string[] {
  const found = findInText('ps', execFileSync('ps', ['-eo', 'args', '-ww'], { encoding: 'utf8' }), secrets);
  for (const processId of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const file of ['cmdline', 'environ']) found.push(...findInText(`/proc/${processId}/${file}`, readOrNothing(`/proc/${processId}/${file}`), secrets));
  }
  return found;
}

/** Searches every file below a folder, except the named files. A file that a running program has renamed meanwhile is searched by its new name. */
export function findInFolder(folder: string, secrets: readonly Secret[], except: readonly string[] = []): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !except.includes(name)).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? findInText(name, readIfPresent(path), secrets) : [];
  });
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** A byte pattern of a secret in memory. */
export interface Pattern {
  name: string;
  bytes: Buffer;
}

/** Returns the patterns of a key and a password: text with one or two bytes per character, and the key as bytes. */
export function memoryPatterns(privateKey: string, password: string | null): Pattern[] {
  const digits = privateKey.replace(/^0x/, '').toLowerCase();
  const texts = [['key as text', digits], ...(password === null ? [] : [['password', password]])] as [string, string][];
  return [
    ...texts.flatMap(([name, text]) => [{ name, bytes: Buffer.from(text, 'latin1') }, { name: `${name}, two bytes a character`, bytes: Buffer.from(text, 'utf16le') }]),
    { name: 'key as 32 bytes', bytes: Buffer.from(digits, 'hex') },
    { name: 'key as 32 bytes, turned round', bytes: Buffer.from(Buffer.from(digits, 'hex').toReversed()) },
  ];
}

/**
 * Counts each pattern in the writable memory of a process, which is the content of a core dump.
 * @returns null if the system does not allow this user to read the memory
 */
export function countInMemory(processId: number, patterns: readonly Pattern[]): ReadonlyMap<string, number> | null {
  const counts = new Map(patterns.map(({ name }) => [name, 0]));
  let memory: number;
  try {
    memory = openSync(`/proc/${processId}/mem`, 'r');
  } catch {
    return null;
  }
  try {
    for (const { from, length } of writableParts(processId)) {
      const bytes = readPart(memory, from, length);
      for (const { name, bytes: pattern } of patterns) counts.set(name, (counts.get(name) ?? 0) + occurrences(bytes, pattern));
    }
  } finally {
    closeSync(memory);
  }
  return counts;
}

function writableParts(processId: number): { from: number; length: number }[] {
  return readFileSync(`/proc/${processId}/maps`, 'utf8').split('\n').flatMap((line) => {
    const parts = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line);
    if (parts === null) return [];
    const [from, to] = [Number.parseInt(parts[1] ?? '', 16), Number.parseInt(parts[2] ?? '', 16)];
    return [{ from, length: to - from }];
  });
}

const partBytes = 16 * 2 ** 20;

/** Reads the readable pages of a memory region; skips pages that are reserved but not present. */
function readPart(memory: number, from: number, length: number): Buffer {
  const parts: Buffer[] = [];
  for (let done = 0; done < length; done += partBytes) {
    const part = Buffer.alloc(Math.min(partBytes, length - done));
    try {
      parts.push(part.subarray(0, readSync(memory, part, 0, part.length, from + done)));
    } catch {
      // Ignores reserved pages that were never used.
    }
  }
  return Buffer.concat(parts);
}

function occurrences(bytes: Buffer, pattern: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(pattern); at !== -1; at = bytes.indexOf(pattern, at + 1)) count += 1;
  return count;
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
