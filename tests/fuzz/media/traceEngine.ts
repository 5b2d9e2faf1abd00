import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canary } from './attackFiles.ts';
import type { FileEnd, MutatedFile } from './mutatedFiles.ts';

/** Calls that open, change or reach something by its name or address. */
const calls = 'open,openat,openat2,creat,execve,connect,bind,sendto,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat';
const repository = fileURLToPath(new URL('../../../', import.meta.url));
/** Programs, libraries and what the kernel tells: may be read by whatever runs. */
const readable = ['/usr/', '/lib/', '/lib64/', '/bin/', '/etc/ld.so', '/etc/ssl/', '/etc/localtime', '/etc/fonts/', '/etc/gcrypt/', '/proc/', '/sys/', '/dev/null', '/dev/urandom', '/dev/random', '/opt/', repository, process.execPath];
/** Transpiled text of our own program. */
const compiled = join(tmpdir(), 'tsx-');
/** The kernel's own switches of a process: its priority. */
const ownSwitches = /^(?:\/dev\/null|\/dev\/tty|\/proc\/(?:self|\d+)\/(?:autogroup|oom_score_adj))$/;
/** Beside decoders and Node: the shell that starts them, and what transpiles our own program. */
const programs = new Set(['node', 'esbuild', 'sh', 'dash', 'bash', 'setpriv', 'ffmpeg', 'ffprobe', 'chrt', 'sleep']);

/** Why nothing can be traced here, or null. */
export function whyNoTrace(): string | null {
  if (process.platform !== 'linux') return 'strace needs Linux';
  return spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0 ? null : 'strace is not installed or may not trace';
}

export interface Traced {
  ends: FileEnd[];
  /** Calls that reached for what they may not. */
  faults: string[];
  calls: number;
  connects: number;
}

/**
 * Summarizes files under strace and judges every call of the engine and its decoders: the network is not spoken to, only
 * the run's folder is written to, and only programs, libraries and the file itself are read.
 * @param folder scratch; the media files lie in it too
 */
export async function traceEngine(files: readonly MutatedFile[], ffmpegPath: string | null, folder: string): Promise<Traced> {
  const name = ffmpegPath ?? 'installed';
  const scratch = join(folder, `run-${name}`);
  const [list, trace, ends] = ['list.json', 'trace', 'ends.json'].map((file) => join(folder, `${name}-${file}`)) as [string, string, string];
  await mkdir(scratch);
  await writeFile(list, JSON.stringify(files));
  const program = fileURLToPath(new URL('./traced.program.ts', import.meta.url));
  // The compiled code that the processes of a test run share is a file outside of the run.
  const env = { ...process.env, UV_USE_IO_URING: '0', NODE_DISABLE_COMPILE_CACHE: '1' };
  const strace = spawn('strace', [
    '-f', '--seccomp-bpf', '-qq', '-s', '300', '-o', trace, '-e', `trace=${calls}`, '-e', 'signal=none',
    process.execPath, '--import', import.meta.resolve('tsx'), program, list, name, scratch, ends,
  ], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'], env });
  const [code] = await once(strace, 'exit') as [number | null];
  if (code !== 0) throw new Error(`strace ended with code ${code}`);
  const lines = (await readFile(trace, 'utf8')).split('\n').filter((line) => line !== '');
  return {
    ends: JSON.parse(await readFile(ends, 'utf8')) as FileEnd[],
    faults: [...lines.flatMap((line) => judge(line, folder) ?? []), ...outOfTurn(lines, files)],
    calls: lines.length,
    connects: lines.filter((line) => line.includes(' connect(')).length,
  };
}

/** @returns the line with its fault, or null */
function judge(line: string, folder: string): string | null {
  const [, call = '', rest = ''] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
  const fault = (why: string): string => `${why}: ${line.slice(0, 400)}`;
  if (call === '') return null;
  if (['connect', 'bind', 'sendto'].includes(call)) return /AF_INET|AF_INET6|AF_NETLINK|AF_PACKET/.test(rest) ? fault('network') : null;
  const path = resolve(folder, /"((?:[^"\\]|\\.)*)"/.exec(rest)?.[1] ?? '');
  if (path.includes(canary)) return fault('a file that only the media name');
  if (/\) += -1 /.test(rest)) return null;
  if (path.startsWith(`${folder}/`) || path === folder || path.startsWith(compiled)) return null;
  if (call === 'execve') return programs.has(path.split('/').at(-1) ?? '') ? null : fault('another program');
  if (!call.startsWith('open') || /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(rest)) return ownSwitches.test(path) ? null : fault('written outside');
  return path === '/' || path === '/etc' || readable.some((place) => `${path}/`.startsWith(place) || path.startsWith(place)) ? null : fault('read outside');
}

/** Each file is opened only while it is its turn. */
function outOfTurn(lines: readonly string[], files: readonly MutatedFile[]): string[] {
  const own = new Set(files.map(({ path }) => path));
  const opened = lines.flatMap((line) => {
    const path = /\bopen\w*\([^"]*"([^"]*)"/.exec(line)?.[1] ?? '';
    return own.has(path) ? [path] : [];
  });
  const turns = opened.filter((path, at) => path !== opened[at - 1]);
  return turns.filter((path, at) => turns.indexOf(path) !== at).map((path) => `opened out of its turn: ${path}`);
}
