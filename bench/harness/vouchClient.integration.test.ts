import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { connectVouch, problemCode } from './vouchClient.ts';

async function withServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server: Server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('the upload of the harness', () => {
  it('sends files and tags as multipart that a standard reader takes apart', async () => {
    let tags: unknown;
    let text: unknown;
    await withServer(
      (request, response) => {
        void (async () => {
          const chunks: Buffer[] = [];
          for await (const chunk of request) chunks.push(chunk as Buffer);
          const headers = { 'content-type': request.headers['content-type'] ?? '' };
          const form = await new Response(Buffer.concat(chunks), { headers }).formData();
          tags = form.getAll('tags');
          text = await (form.get('files') as File).text();
          response.writeHead(201).end('[]');
        })();
      },
      async (url) => {
        const files = [{ name: 'a.csv', content: ['id,type\n', Buffer.from('1,é\n')] }];
        expect(await connectVouch(url, 'key').upload(files, ['one', 'two'])).toEqual({ status: 201, body: [] });
      },
    );
    expect(tags).toEqual(['one', 'two']);
    expect(text).toBe('id,type\n1,é\n');
  });

  it('returns an answer that comes before the body is sent', async () => {
    function* endless(): Generator<string> {
      for (let row = 0; row < 1_000_000; row++) yield 'x'.repeat(65_536);
    }
    await withServer(
      (request, response) => {
        request.once('data', () => {
          request.pause();
          response.writeHead(413, { connection: 'close' }).end('{"code":"too-large"}');
        });
      },
      async (url) => {
        const answer = await connectVouch(url, 'key').upload([{ name: 'a.csv', content: endless() }]);
        expect(answer.status).toBe(413);
        expect(problemCode(answer)).toBe('too-large');
      },
    );
  });
});

describe('the list of batches', () => {
  it('is read over all of its pages', async () => {
    const pages: Record<string, { link?: string; ids: string[] }> = {
      '/v1/recommender/data_batch?tags=a%20b': { link: '<https://elsewhere.example/v1/recommender/data_batch?cursor=2>; rel="next"', ids: ['1', '2'] },
      '/v1/recommender/data_batch?cursor=2': { link: '</v1/recommender/data_batch?cursor=3>; rel="next"', ids: ['3'] },
      '/v1/recommender/data_batch?cursor=3': { ids: ['4'] },
    };
    await withServer(
      (request, response) => {
        const page = pages[request.url ?? ''];
        if (page === undefined || request.headers['apikey'] !== 'key') return void response.writeHead(404).end();
        response.writeHead(200, page.link === undefined ? {} : { link: page.link });
        response.end(JSON.stringify(page.ids.map((id) => ({ batch_id: id }))));
      },
      async (url) => {
        const records = await connectVouch(url, 'key').batches('a b');
        expect(records.map((record) => record.batch_id)).toEqual(['1', '2', '3', '4']);
      },
    );
  });
});
