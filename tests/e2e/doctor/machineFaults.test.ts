import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';
import { openTestDatabase, type TestDatabase } from '../../../packages/platform/testing/testDatabase.ts';
import { vouchProgram as program } from '../../../bench/harness/serveVouch.ts';

interface Finding { status: string; detail: string; remedy?: string }

let folder: string;
let database: TestDatabase;
const servers: (Server | HttpServer)[] = [];

// No test changes the database.
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-doctor-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the findings of each check for the given environment variables. */
async function doctor(environment: Record<string, string>): Promise<Record<string, Finding[]>> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, VOUCH_DATA: folder, DATABASE_URL: database.connectionString, PORT: '0', ...environment };
  const text = await new Promise<string>((resolve) => {
    execFile(process.execPath, [program, 'doctor', '--json'], { cwd: folder, env }, (_error, stdout) => resolve(stdout));
  });
  const reports = JSON.parse(text) as { check: string; findings: Finding[] }[];
  return Object.fromEntries(reports.map(({ check, findings }) => [check, findings]));
}

async function listen(server: Server | HttpServer): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

exhaustiveTest('a port that another program has is a fault that names the program', async () => {
  const port = await listen(createServer());
  const { port: [finding] = [] } = await doctor({ PORT: String(port) });
  expect(finding).toMatchObject({ status: 'fault', remedy: expect.stringContaining('PORT') as string });
  expect(finding?.detail).toContain(`port ${port} of 127.0.0.1 is in use by`);
  if (process.platform === 'linux') expect(finding?.detail).toContain(`process ${process.pid} (`);
});

test('a data folder that others may enter is closed, or named where it cannot be', async () => {
  await chmod(folder, 0o755);
  expect((await doctor({}))['data folder']).toMatchObject([{ status: 'warning', remedy: expect.stringContaining('chmod 700') as string }]);
});

describe('an object store that refuses', () => {
  /** A store that refuses requests in the same way as S3: an error code in XML, and no body in response to a HEAD request. */
  const refusing = (status: number, code: string, date = new Date()): RequestListener => (request, response) => {
    request.resume();
    const body = request.method === 'HEAD' ? '' : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
    response.sendDate = false;
    response.writeHead(status, { 'content-type': 'application/xml', date: date.toUTCString() }).end(body);
  };

  async function ask(listener: RequestListener): Promise<Record<string, Finding[]>> {
    const port = await listen(createHttpServer(listener));
    return doctor({
      VOUCH_S3_ENDPOINT: `http://127.0.0.1:${port}`, VOUCH_S3_BUCKET: 'films', VOUCH_S3_ACCESS_KEY_ID: 'AKIA', VOUCH_S3_SECRET_ACCESS_KEY: 'hunter2hunter2',
    });
  }

  test.each(sampleOf([
    [404, 'NoSuchBucket', 'bucket does not exist', 'VOUCH_S3_BUCKET'],
    [403, 'SignatureDoesNotMatch', 'secret', 'VOUCH_S3_SECRET_ACCESS_KEY'],
    [403, 'InvalidAccessKeyId', 'access key', 'VOUCH_S3_ACCESS_KEY_ID'],
    [403, 'AccessDenied', 'no access', 'permission'],
    [400, 'AuthorizationHeaderMalformed', 'region', 'VOUCH_S3_REGION'],
  ], 1))('%d %s is told by name', async (status, code, detail, remedy) => {
    const reports = await ask(refusing(status, code));
    expect(reports['blobs']).toMatchObject([{
      status: 'fault', detail: expect.stringMatching(new RegExp(`films.*${detail}.*${code}`)) as string, remedy: expect.stringContaining(remedy) as string,
    }]);
    expect(JSON.stringify(reports)).not.toContain('hunter2');
  });

  exhaustiveTest('a clock that is ten minutes off is told by the date of its answers', async () => {
    const reports = await ask((request, response) => refusing(403, 'AccessDenied', new Date(Date.now() - 600_000))(request, response));
    const [, finding] = reports['clock'] ?? [];
    expect(finding).toMatchObject({ status: 'fault', remedy: expect.stringContaining('NTP') as string });
    expect(finding?.detail).toMatch(/object store differ by -(5[4-9]\d|6[0-5]\d)\d{3} ms/);
  });
});
