import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { chown, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ClientConfig } from 'pg';
import { DatabaseFault } from './databaseFault.ts';

/**
 * Converts a connection URL to the settings of pg. pg does not support libpq's parameter `passfile`, which names a password file. So pg gets a
 * function that reads the password when the server requests it, and the URL contains no secret.
 */
export function parseConnection(connection: string): ClientConfig {
  const url = URL.canParse(connection) ? new URL(connection) : null;
  const passfile = url?.searchParams.get('passfile') ?? null;
  const host = url?.searchParams.get('host') ?? null;
  if (url === null || passfile === null || host === null) return { connectionString: connection };
  return {
    host, user: url.searchParams.get('user') ?? undefined, database: decodeURIComponent(url.pathname.slice(1)),
    password: () => readPassword(passfile),
  };
}

/**
 * Reads the password from a libpq password file with one line, `*:*:*:user:password`.
 * @throws DatabaseFault if the file cannot be read; the message never contains the content
 */
async function readPassword(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new DatabaseFault(`The password of the embedded PostgreSQL cannot be read from ${path} (${error.code}): run this ` +
      'command as the user who starts the server.', { cause: error });
  });
  // The password is base64url, so no character is escaped.
  return text.trim().split(':').at(-1) ?? '';
}

/**
 * Creates a new password and writes it to a libpq password file that only its owner can read. The file gets its final name only after `set` has
 * succeeded. If the process is killed before, the next start sets another password.
 * @param set sets the password's verifier in the server. The verifier is not sufficient to log in
 */
export async function writePassword(path: string, user: string, set: (verifier: string) => Promise<void>): Promise<void> {
  const password = randomBytes(32).toString('base64url');
  const unfinished = `${path}.unfinished`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(`*:*:*:${user}:${password}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  // If root starts the server of an ordinary user, that user must be able to start the server later.
  const owner = await stat(dirname(path));
  if (process.getuid?.() === 0) await chown(unfinished, owner.uid, owner.gid);
  await set(scramVerifier(password));
  await rename(unfinished, path);
}

/** PostgreSQL's default. More iterations would add nothing for a password of 256 random bits. */
const iterations = 4_096;

/** Returns the SCRAM verifier that PostgreSQL stores for a password (RFC 5803): `SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey`. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`;
}
