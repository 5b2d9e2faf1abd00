import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeKey } from '../../bench/harness/makeKey.ts';
import { listProcessTree } from '../../bench/harness/processTree.ts';
import { vouchProgram, type ServedVouch } from '../../bench/harness/serveVouch.ts';
import { trainCatalogue, uploadCatalogue } from '../../bench/harness/uploadCatalogue.ts';
import { countInMemory, findInFolder, findInProcesses, findInText, type Secret } from '../e2e/verifier/world/findSecrets.ts';
import { expectEqual, expectTrue, withVouch, type HeavyTest } from './heavyTest.ts';

const execute = promisify(execFile);
const shape = { items: 200, users: 500, interactions: 5_000, seed: 1 };
const wrongKey = `vch_${'Wr0ng'.repeat(8)}`;

/** Uses API keys in right and wrong places, and searches for them wherever a server writes. */
export const plantedSecrets: HeavyTest = {
  name: 'plantedSecrets',
  guarantee: 'API keys are in no log, file, database, backup, process list, response, or memory of a child process',
  skip: async () => (process.platform === 'linux' ? null : 'needs /proc'),
  run: (print) => withVouch(async ({ server, client }) => {
    const made = await makeKey(server, 'second', 'admin');
    // Without the first and last characters, because a part of a key is a leak too.
    const secrets: Secret[] = [['the admin key', server.key], ['a created key', made], ['a wrong key', wrongKey]].map(([name = '', key = '']) => ({ name, text: key.slice(6, -2) }));
    await uploadCatalogue(client, shape);
    await trainCatalogue(client, 'secrets');
    const answers = await misuseKeys(server, [server.key, made, wrongKey]);
    const backup = join(server.folder, 'a-backup');
    const { stdout, stderr } = await execute(process.execPath, [vouchProgram, 'backup', backup], { env: { ...process.env, VOUCH_DATA: server.folder } });
    const children = await listChildren(server.processId);
    const patterns = secrets.map(({ name, text }) => ({ name, bytes: Buffer.from(text) }));
    let read = 0;
    const inMemory = children.flatMap((child) => {
      const counts = countInMemory(child, patterns);
      read += counts === null ? 0 : 1;
      return [...(counts ?? [])].filter(([, count]) => count > 0).map(([name]) => `${name} in the memory of process ${child}`);
    });
    const own = new Set((await listServers(server.processId)).map((id) => `the admin key in /proc/${id}/environ`));
    const found = [
      ...findInText('an answer', answers, secrets), ...findInText('the output of backup', stdout + stderr, secrets), ...findInFolder(server.folder, secrets), ...inMemory,
      // The operator put the admin key into the environment of the server itself.
      ...findInProcesses(secrets).filter((place) => !own.has(place)),
    ];
    const files = (await readdir(server.folder, { recursive: true })).length;
    print(`3 keys, ${files} files and folders with the database, its log and a backup, memory of ${read} child processes: ${found.length} found`);
    expectEqual('secrets', found, []);
    expectTrue('no child process was read', read > 0);
  }, { environment: { VOUCH_LOG_LEVEL: 'trace', VOUCH_RATE_LIMIT: '0' } }),
};

/** Sends each key as users do by mistake: in the query, in the path, in `Authorization` and as a cookie. @returns all responses */
async function misuseKeys({ url }: ServedVouch, keys: readonly string[]): Promise<string> {
  const answers: string[] = [];
  for (const key of keys) {
    const places: [string, Record<string, string>][] = [
      [`/v1/recommender/data_batch?apikey=${key}`, {}], ...(key.startsWith('vch_') ? [[`/v1/recommender/${key}/status`, {}], [`/${key}`, {}]] as [string, Record<string, string>][] : []), ['/v1/recommender/data_batch', { authorization: `Bearer ${key}` }],
      ['/v1/recommender/data_batch', { cookie: `session=${key}` }], ['/v1/recommender/data_batch', { apikey: ` ${key}x` }], ['/v1/recommender/data_batch', { apikey: key }],
    ];
    for (const [path, headers] of places) {
      const answer = await fetch(url + path, { headers });
      // A response may repeat the path that it refuses, to its sender.
      const text = path.includes(key) ? '' : await answer.text();
      answers.push(JSON.stringify([...answer.headers]), text);
    }
  }
  return answers.join('\n');
}

/** The server itself, also where a supervisor starts it as a child. */
async function listServers(root: number): Promise<number[]> {
  const all = await listProcessTree(root);
  const lines = await Promise.all(all.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return all.filter((id, at) => id === root || /(?:vouch|run)\.js\0serve/.test(lines[at] ?? ''));
}

async function listChildren(root: number): Promise<number[]> {
  const servers = new Set(await listServers(root));
  return (await listProcessTree(root)).filter((id) => !servers.has(id));
}
