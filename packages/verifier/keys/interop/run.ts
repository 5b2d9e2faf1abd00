// Checks keystores across programs: eth-account opens the keystores of this program, and this program opens those of eth-account.
// Needs Python 3. eth-account is installed into a temporary folder, unless VOUCH_TEST_PYTHON names a Python that has it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { openKeystore } from '@vouch/chain/keystore/keystore';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { main } from '../../main.ts';

interface Answer {
  keystore: unknown;
  address: string;
  private_key: string;
}

const folder = mkdtempSync(join(tmpdir(), 'vouch-interop-'));
const passwords = ['correct horse', 'Prüfung ✓ 验证', ' blank at both ends ', '𝄞'.repeat(40)];
let failed = 0;

function findPython(): string {
  const given = process.env['VOUCH_TEST_PYTHON'];
  if (given !== undefined && given !== '') return given;
  execFileSync('python3', ['-m', 'venv', join(folder, 'venv')], { stdio: 'inherit' });
  execFileSync(join(folder, 'venv', 'bin', 'pip'), ['install', '-q', 'eth-account==0.14.0'], { stdio: 'inherit' });
  return join(folder, 'venv', 'bin', 'python');
}

function ask(python: string, command: object): Answer {
  const script = fileURLToPath(new URL('./keystores.py', import.meta.url));
  return JSON.parse(execFileSync(python, [script], { input: JSON.stringify(command), encoding: 'utf8' })) as Answer;
}

/** Runs the node program. @returns its standard output */
async function verifier(given: readonly string[]): Promise<string> {
  let [output, errors] = ['', ''];
  const code = await main(given, {
    input: Readable.from([]), system: systemInterfaces, stop: AbortSignal.abort(),
    output: { write: (text) => void (output += text) }, errors: { write: (text) => void (errors += text) },
  });
  if (code !== 0) throw new Error(`verifier ended with ${code}: ${errors}`);
  return output.trim();
}

function check(name: string, holds: boolean): void {
  if (!holds) failed += 1;
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${name}`);
}

try {
  const python = findPython();
  for (const [at, password] of passwords.entries()) {
    const path = join(folder, `ours-${at}.json`);
    const file = join(folder, `password-${at}`);
    writeFileSync(file, `${password}\n`, { mode: 0o600 });
    const address = await verifier(['keystore', 'new', '-keystore-path', path, '-password-file', file]);
    const keystore = JSON.parse(readFileSync(path, 'utf8')) as unknown;
    const opened = ask(python, { do: 'open', keystore, password });
    check(`eth-account opens ours (${JSON.stringify(password.slice(0, 20))})`, opened.address === address);
  }
  for (const { kdf, iterations } of [{ kdf: 'scrypt', iterations: 262_144 }, { kdf: 'scrypt', iterations: 4_096 }, { kdf: 'pbkdf2', iterations: 1_000_000 }]) {
    for (const password of passwords) {
      const { keystore, address, private_key } = ask(python, { do: 'make', password, kdf, iterations });
      const opened = await openKeystore(JSON.stringify(keystore), password).catch(() => null);
      check(`ours opens eth-account's (${kdf} ${iterations}, ${JSON.stringify(password.slice(0, 20))})`, opened?.privateKey === `0x${private_key}` && opened.address === address.toLowerCase());
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failed === 0 ? 'Every keystore opened.' : `${failed} did not.`);
process.exitCode = failed === 0 ? 0 : 1;
