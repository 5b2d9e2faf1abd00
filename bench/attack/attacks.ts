import type { SlowClient } from './slowClient.ts';

export interface Attack {
  name: string;
  client: SlowClient;
}

const boundary = 'b0undary';
const filePart = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="a.csv"\r\n\r\nid,type,name,metadata,media_url\n`;

/**
 * Lists attacks that keep a server waiting.
 * @param everyMs interval between two writes of a slow client; shorter than every idle timeout
 * @param uploaderKey API key of an organization other than the one whose requests are measured
 */
export function listAttacks(everyMs: number, uploaderKey: string): Attack[] {
  const message = 'POST /explorer_alphanet/send_tx_node_exit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{';
  const upload =
    `POST /v1/recommender/data_batch HTTP/1.1\r\nHost: x\r\napikey: ${uploaderKey}\r\nContent-Length: 50000000\r\n` +
    `Content-Type: multipart/form-data; boundary=${boundary}\r\n\r\n${filePart}`;
  return [
    { name: 'nothing sent', client: { opening: '', drip: '', everyMs, reads: true } },
    { name: 'half of the headers', client: { opening: 'GET /healthz HTTP/1.1\r\nHost: x\r\n', drip: 'X-A: b\r\n', everyMs, reads: true } },
    { name: 'a message, byte by byte', client: { opening: message, drip: ' ', everyMs, reads: true } },
    { name: 'empty lines after an answer', client: { opening: 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', drip: '\r\n', everyMs, reads: true } },
    { name: '200 pipelined requests, answers not read', client: { opening: 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200), drip: '', everyMs, reads: false } },
    { name: 'an upload, byte by byte', client: { opening: upload, drip: 'a', everyMs, reads: true } },
  ];
}
