import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findCommandBlocks } from './commandBlocks.ts';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';

/** Programs that a reader keeps running in a terminal, with the output that shows that the program works. */
const lasting: readonly { command: RegExp; ready: RegExp }[] = [
  { command: /^vouch serve\b/, ready: /Serving on/ },
  { command: /^verifier -conf\b/, ready: /The node is in the active set/ },
  { command: /^python3 -u -m http\.server\b/, ready: /Serving HTTP on/ },
];
const endMs = 240_000;
const root = new URL('../../../', import.meta.url);

/**
 * Imitates the reader of a document: an empty directory with `vouch` and `verifier` on the PATH, and one terminal per
 * long-running program.
 */
export interface ReaderShell {
  folder: string;
  /**
   * Runs the commands of one block and returns their output. Exported variables stay set for later blocks.
   * @throws Error with the output
   */
  run(commands: string): Promise<string>;
  /**
   * Runs the blocks of a document from top to bottom, except those that are not to be run, and returns their output.
   * @throws Error with the line of the block and the output
   */
  runDocument(path: string): Promise<string>;
  /** The URL at which a document's port is served here. */
  urlOf(port: 8080 | 9000): string;
  close(): Promise<void>;
}

interface Terminal {
  command: string;
  child: ChildProcess;
  ended: Promise<unknown>;
}

/** Opens the shell. Replaces the documents' ports 8080 and 9000 by free ports. */
export async function openReaderShell(): Promise<ReaderShell> {
  const home = await mkdtemp(join(tmpdir(), 'vouch-reader-'));
  const [bin, folder, variables] = [join(home, 'bin'), join(home, 'work'), join(home, 'variables')];
  await Promise.all([mkdir(bin), mkdir(folder), writeFile(variables, '')]);
  await writeProgram(join(bin, 'vouch'), vouchProgram);
  await writeProgram(join(bin, 'verifier'), join(dirname(vouchProgram), 'verifier', 'verifier'));
  const [port, otherPort] = [await freePort(), await freePort()];
  const { PATH = '', FFMPEG_PATH } = process.env;
  const env = {
    PATH: `${bin}:${PATH}`, HOME: home, PORT: String(port), VOUCH_TRAIN_NICENESS: '0', VOUCH_VIDEO_NICENESS: '0',
    ...(FFMPEG_PATH === undefined ? {} : { FFMPEG_PATH }),
  };
  const terminals: Terminal[] = [];

  const runShort = (commands: string): Promise<string> => new Promise((resolve, reject) => {
    const script = `set -eu -o pipefail\n. ${variables}\n${commands}\nexport -p > ${variables}\n`;
    execFile('bash', ['-c', script], { cwd: folder, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${commands}\nended with ${String(error.code)}:\n${stdout}\n${stderr}`));
    });
  });
  const runLasting = async (command: string, ready: RegExp): Promise<string> => {
    // Before the next server starts, a reader would have stopped the previous server.
    if (command.includes('vouch serve')) await endAll(terminals, 'vouch serve');
    const child = spawn('bash', ['-c', `. ${variables}\nexec ${command}`], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    terminals.push({ command, child, ended: once(child, 'exit') });
    return untilReady(child, command, ready);
  };

  const shell: ReaderShell = {
    folder,
    urlOf: (documented) => `http://localhost:${documented === 8080 ? port : otherPort}`,
    async runDocument(path) {
      let output = '';
      for (const { line, commands, notRun } of findCommandBlocks(await readFile(new URL(path, root), 'utf8'))) {
        if (notRun !== null) continue;
        output += await shell.run(commands).catch((error: unknown) => {
          throw new Error(`${path}:${line}: ${error instanceof Error ? error.message : String(error)}`);
        });
      }
      return output;
    },
    async run(commands) {
      let output = '';
      let short: string[] = [];
      for (const line of [...commands.replaceAll('8080', String(port)).replaceAll('9000', String(otherPort)).split('\n'), null]) {
        const found = lasting.find(({ command }) => line !== null && command.test(line.replace(/^(?:[A-Z_]+=\S+ )+/, '')));
        if (line !== null && found === undefined) short.push(line);
        else {
          if (short.length > 0) output += await runShort(short.join('\n'));
          short = [];
          if (line !== null && found !== undefined) output += await runLasting(line.replace(/^((?:[A-Z_]+=\S+ )*)/, 'env $1'), found.ready);
        }
      }
      return output;
    },
    async close() {
      await endAll(terminals);
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return shell;
}

async function writeProgram(path: string, program: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Ends the programs in the order in which a reader would: first the programs that use the server. */
async function endAll(terminals: readonly Terminal[], of = ''): Promise<void> {
  for (const { command, child, ended } of terminals.toReversed()) {
    if (!command.includes(of)) continue;
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    const killing = setTimeout(() => child.kill('SIGKILL'), endMs);
    await ended;
    clearTimeout(killing);
  }
}

function untilReady(child: ChildProcess, command: string, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (piece: Buffer): void => {
      output += piece.toString();
      if (ready.test(output)) resolve(output);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${String(code)}:\n${output}`)));
  });
}
