import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { BatchTestServer, type Part } from '../testing/batchTestServer.ts';

const slow = 'slow:data:read,data:write';
const other = 'other:data:read,data:write';
const entities = 'id,type,name,metadata,media_url';
const good: Part = ['files', `${entities}\na,film,,,\n`, 'good.csv'];
const boundary = 'b0undary';
const fileHead = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="a.csv"\r\n\r\n${entities}\n`;
const end = `a,film,,,\n\r\n--${boundary}--\r\n`;

let at: BatchTestServer;
const senders: Sender[] = [];
afterEach(async () => {
  for (const sender of senders.splice(0)) sender.stop();
  await at.close();
});

/** An upload whose body arrives byte by byte until `finish` is called. */
class Sender {
  private readonly socket: Socket;
  private readonly dripping: NodeJS.Timeout;
  private sent = fileHead.length;
  private readonly length = 5_000;
  /** The answer received so far. */
  answer = '';

  constructor(server: BatchTestServer, key: string) {
    this.socket = connect(server.at.port, '127.0.0.1').setEncoding('utf8').on('error', () => {});
    this.socket.on('data', (text: string) => { this.answer += text; });
    this.socket.write(
      `POST /v1/recommender/data_batch HTTP/1.1\r\nhost: x\r\napikey: ${key}\r\ncontent-length: ${this.length}\r\n` +
      `content-type: multipart/form-data; boundary=${boundary}\r\n\r\n${fileHead}`,
    );
    this.dripping = setInterval(() => this.write('\n'), 100);
    senders.push(this);
  }

  /** Sends the rest immediately: blank lines and a row. */
  async finish(): Promise<void> {
    clearInterval(this.dripping);
    this.write('\n'.repeat(this.length - this.sent - end.length) + end);
    await once(this.socket, 'data');
  }

  stop(): void {
    clearInterval(this.dripping);
    this.socket.destroy();
  }

  private write(text: string): void {
    if (!this.socket.writable) return;
    this.sent += text.length;
    this.socket.write(text);
  }
}

const statusOf = ({ answer }: Sender): string => answer.slice(9, 12);

exhaustiveTest('twenty dripping uploads of one organization keep no other organization waiting', async () => {
  // The clock does not advance, so no upload loses its place to a timeout on a slow machine.
  at = await BatchTestServer.start({ upload_concurrency: 2 }, {}, { now: () => 0 });
  const drippers = Array.from({ length: 20 }, () => new Sender(at, slow));
  await expect.poll(async () => (await at.stored()).scratch.length).toBeGreaterThanOrEqual(2);
  for (let upload = 0; upload < 2; upload++) expect((await at.upload([good], {}, other)).status).toBe(201);
  expect(drippers.map(statusOf).join('')).toBe('');
});

/** A clock that runs a thousand times as fast. */
function fastClock(): { now: () => number } {
  const start = Date.now();
  return { now: () => start + (Date.now() - start) * 1_000 };
}

exhaustiveTest('dripping uploads lose their places where their own organization waits for them, with a sentence', async () => {
  at = await BatchTestServer.start({ upload_concurrency: 1 }, {}, fastClock());
  const drippers = Array.from({ length: 8 }, () => new Sender(at, slow));
  await expect.poll(async () => (await at.stored()).scratch.length).toBe(8);
  expect((await at.upload([good], {}, slow)).status).toBe(201);
  const refused = drippers.filter(({ answer }) => answer !== '');
  expect(refused.length).toBeGreaterThan(0);
  for (const { answer } of refused) expect(answer).toMatch(/^HTTP\/1\.1 408 .*while other uploads wait, .*4096 bytes per second/s);
});

exhaustiveTest('a slow sender for whose place nobody waits is not hurried, and stored', async () => {
  at = await BatchTestServer.start({ upload_concurrency: 1 }, {}, fastClock());
  const sender = new Sender(at, slow);
  await expect.poll(async () => (await at.stored()).scratch.length).toBe(1);
  // Meanwhile the clock advances by more than half an hour.
  expect((await at.upload([good], {}, other)).status).toBe(201);
  await new Promise((resolve) => { setTimeout(resolve, 2_000); });
  expect(sender.answer).toBe('');
  await sender.finish();
  expect(statusOf(sender)).toBe('201');
});

it('the first file too many is refused while earlier ones are not read yet, and nothing is kept', async () => {
  at = await BatchTestServer.start({ upload_concurrency: 1 });
  const blocking = new Sender(at, other);
  await expect.poll(async () => (await at.stored()).scratch.length).toBe(1);
  const answer = await at.upload(Array.from({ length: 300 }, () => good), {}, slow);
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ code: 'too-large', detail: expect.stringContaining('at most 32 files') as string });
  expect(blocking.answer).toBe('');
  await expect.poll(async () => (await at.stored()).scratch.length).toBe(1);
  expect((await at.stored()).rows).toBe(0);
});
