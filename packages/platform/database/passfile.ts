import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { chown, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ClientConfig } from 'pg';
import { DatabaseFault } from './databaseFault.ts';

/**
 * What pg needs to connect. pg knows no `passfile`, the parameter of libpq that names a password file, so it gets the
 * file's password when the server asks for one: the address itself holds no secret.
 */
export function readConnection(connection: string): ClientConfig {
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
 * Reads the password of a libpq password file with one line, `*:*:*:user:password`.
 * @throws DatabaseFault without the content
 */
async function readPassword(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new DatabaseFault(`The password of the embedded PostgreSQL cannot be read from ${path} (${error.code}): run this ` +
      'command as the user who starts the server.', { cause: error });
  });
  // The password is base64url, so no character of it is escaped.
  return text.trim().split(':').at(-1) ?? '';
}

/**
 * Writes a new password for a user to a libpq password file that only its owner can read, once `set` has taken it.
 * Whoever is killed before the last step leaves no file under that name, so the next start chooses another password.
 * @param set gives the server the verifier of the password, which is no secret that logs in
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
  // Where root starts the server of an ordinary user, the user must be able to start it again.
  const owner = await stat(dirname(path));
  if (process.getuid?.() === 0) await chown(unfinished, owner.uid, owner.gid);
  await set(scramVerifier(password));
  await rename(unfinished, path);
}

/** PostgreSQL's default; a password of 256 random bits needs no more. */
const iterations = 4_096;

/** What PostgreSQL stores of a password: RFC 5803, `SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey`. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`;
}
