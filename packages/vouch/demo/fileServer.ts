import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** An HTTP server for single files on 127.0.0.1. */
export interface FileServer {
  /** IP address and port of the server, in the form `host:port`. */
  address: string;
  /** Serves a file from now on and returns its URL. Every other path returns 404. */
  share(path: string): string;
  close(): Promise<void>;
}

/** Starts a file server on a free port of 127.0.0.1. */
export async function openFileServer(): Promise<FileServer> {
  const shared = new Map<string, string>();
  const server = createServer((request, response) => {
    const path = shared.get(request.url ?? '');
    const answer = async (): Promise<void> => {
      const size = path === undefined ? null : (await stat(path)).size;
      if (path === undefined || size === null) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
      await pipeline(createReadStream(path), response);
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', done);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the file server of the demo has no port');
  const address = `127.0.0.1:${bound.port}`;
  return {
    address,
    share(path) {
      const place = `/${encodeURIComponent(basename(path))}`;
      shared.set(place, path);
      return `http://${address}${place}`;
    },
    close: () => new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    }),
  };
}
