import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { vouchProgram, type ServedVouch } from './serveVouch.ts';

const execute = promisify(execFile);

/**
 * Creates a key of an organization, and the organization if it does not exist.
 * @param program program of the server, if it is that of another checkout
 */
export async function makeKey({ folder }: ServedVouch, organization: string, scope: string, program = vouchProgram): Promise<string> {
  const words = ['keys', 'create', '--organization', organization, '--scope', scope, '--json'];
  const { stdout } = await execute(process.execPath, [program, ...words], { env: { ...process.env, VOUCH_DATA: folder } });
  return (JSON.parse(stdout) as { key: string }).key;
}
