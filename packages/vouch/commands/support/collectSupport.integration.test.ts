import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { migrate } from '@vouch/platform/database/migrate';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { migrationSets } from '../../wiring/openPlatform.ts';
import { collectSupport } from './collectSupport.ts';

/** Values that must not leave the installation, by where each is planted. */
const planted = {
  VOUCH_ADMIN_KEY: 'planted-admin-key-0123456789abcdef',
  VOUCH_S3_SECRET_ACCESS_KEY: 'planted-s3-secret',
  VOUCH_CHAIN_RPC_URL: 'http://127.0.0.1:1/planted-rpc-key',
  VOUCH_RELAYER_KEYS: `0x${'5e'.repeat(32)}`,
};
const inputSecret = 'planted-in-the-input-of-a-job';
const linkSecret = 'planted-signature';

let folder: string;
let database: TestDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-support-'));
  database = await openTestDatabase();
  await migrate(database, migrationSets);
  for (const [name, value] of Object.entries({ ...planted, VOUCH_DATA: folder, DATABASE_URL: database.connectionString, VOUCH_LOG_LEVEL: 'silent' })) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function plantCrash(data: string): Promise<void> {
  await mkdir(join(data, 'crashes'), { recursive: true });
  const error = `Error: ${Object.values(planted).join(' ')} https://media.example/a.mp4?sig=${linkSecret}\n    at serve`;
  await writeFile(join(data, 'crashes', '1.json'), JSON.stringify({ at: new Date().toISOString(), command: 'serve', process: 1, ended: 'SIGABRT', ran_seconds: 5, error }));
}

async function plantJob(): Promise<void> {
  const [input, error] = [{ media_url: `https://media.example/${inputSecret}` }, { code: 'media-unreachable', detail: inputSecret }];
  await database.query(
    `INSERT INTO jobs (id, organization_id, kind, subject, input, status, error, attempt, completed_at) VALUES (gen_random_uuid(), 'o', 'video.summarize', 's', $1, 'error', $2, 3, now())`, [input, error]);
}

it('a support bundle has versions, findings, crashes and failed jobs, and no secret, wherever secrets stand', async () => {
  await Promise.all([plantCrash(folder), plantJob()]);
  const bundle = await collectSupport();
  expect(bundle.program.node).toBe(process.versions.node);
  expect(bundle.settings).toMatchObject({ VOUCH_ADMIN_KEY: '[set]', VOUCH_RELAYER_KEYS: '[set]', DATABASE_URL: '[set]', VOUCH_DATA: folder, VOUCH_LOG_LEVEL: 'silent' });
  expect(bundle.findings.find(({ check }) => check === 'crashes')?.findings).toMatchObject([{ code: 'crashed' }]);
  expect(bundle.crashes).toMatchObject([{ ended: 'SIGABRT', error: expect.stringContaining('[secret]') as string }]);
  expect(bundle.database).toMatchObject({
    migrations: expect.arrayContaining(['platform/0001_jobs.sql']) as string[], jobs: [{ kind: 'video.summarize', status: 'error', count: 1 }], failed: [{ attempt: 3, code: 'media-unreachable' }],
  });
  const text = JSON.stringify(bundle);
  for (const secret of [...Object.values(planted), inputSecret, linkSecret, database.connectionString]) expect(text).not.toContain(secret);
});

it('a support bundle of an empty installation has a database without tables', async () => {
  const empty = await openTestDatabase();
  await empty.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  vi.stubEnv('DATABASE_URL', empty.connectionString);
  try {
    const { database: facts, findings } = await collectSupport();
    expect(facts).toEqual({ server: expect.any(String) as string, migrations: [], tables: {}, jobs: [], failed: [] });
    expect(JSON.stringify(findings)).toContain('migrations-pending');
  } finally {
    await empty.close();
  }
});

it('a support bundle of an installation with faults has the reasons in the place of what cannot be read', async () => {
  await plantCrash(join(folder, 'data'));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  vi.stubEnv('VOUCH_PORT', 'planted');
  const bundle = await collectSupport();
  expect(bundle.settings).toEqual({ unreadable: expect.stringContaining('VOUCH_PORT') as string });
  expect(bundle.database).toEqual({ unreadable: expect.stringContaining('VOUCH_PORT') as string });
  expect(bundle.crashes).toEqual({ unreadable: expect.stringContaining('secrets') as string });
  for (const secret of Object.values(planted)) expect(JSON.stringify(bundle)).not.toContain(secret);
});
