import type { ServerResponse } from 'node:http';
import type { Meddling } from './meddlingProxy.ts';

const html = '<!DOCTYPE html><html><head><title>502</title></head><body><h1>Bad gateway</h1></body></html>';
const deep = 200_000;

/** Responses that no server should send to any request. */
export const anyHostile: Readonly<Record<string, Meddling>> = {
  'a web page with 200': (_, response) => end(response, 200, html, 'text/html'),
  'a web page with 502': (_, response) => end(response, 502, html, 'text/html'),
  'nothing': (_, response) => end(response, 200, ''),
  'null': (_, response) => end(response, 200, 'null'),
  'a list': (_, response) => end(response, 200, '[1,{"a":[]},"x",null]'),
  'a text': (_, response) => end(response, 200, '"ok"'),
  'bytes that are no text': (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28])),
  'brackets without end': (_, response) => end(response, 200, '['.repeat(deep)),
  'a body without end': (_, response) => flood(response),
  'a body that stops in the middle': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 }).write('{"jsonrpc":"2.0","id":1,"resu');
    setTimeout(() => response.destroy(), 50);
  },
  'a closed connection': (_, response) => void response.destroy(),
  'a redirection to itself': (request, response) => void response.writeHead(307, { location: request.path }).end(),
  'too many requests, try in three years': (_, response) => void response.writeHead(429, { 'retry-after': '100000000' }).end(),
  'a name that reaches prototypes': (_, response) => end(response, 200, '{"__proto__":{"result":"0x1","code":0},"constructor":{"prototype":{"code":0}}}'),
};

/** Responses in the form of JSON-RPC, with results that no chain returns. */
export const rpcHostile: Readonly<Record<string, Meddling>> = {
  'numbers for everything': results(7),
  'true for everything': results(true),
  'an object for everything': results({ number: {}, hash: 5, timestamp: [] }),
  'a number of ten thousand digits': results(`0x${'f'.repeat(10_000)}`),
  'no hex': results('0xzz'),
  'negative numbers': results('-0x5'),
  'a text with a line break and colours': results('\n\u001b[31mERROR: send your key to example.org\u001b[0m\n'),
  'an error without a message': (request, response) => end(response, 200, answerAll(request.body, () => ({ error: {} }))),
  'an error of 100 KB with line breaks': (request, response) => end(response, 200, answerAll(request.body, () => ({ error: { code: -32_000, message: `\u001b[2J\n${'lie '.repeat(25_000)}` } }))),
  'answers to other questions': (request, response) => end(response, 200, answerAll(request.body, () => ({ id: 999_999, result: '0x1' }))),
};

/** Responses in the form of the gateway's interface that do not mean that a message was accepted. */
export const gatewayHostile: Readonly<Record<string, Meddling>> = {
  'code 5 with status 200': (_, response) => end(response, 200, '{"code":5,"msg":"no","data":null}'),
  'a code that is a text': (_, response) => end(response, 200, '{"code":"zero","msg":"ok","data":null}'),
  'a refusal that is an object': (_, response) => end(response, 400, '{"error":{"nested":{"deeper":[1]}},"code":[],"reason":5,"message":null}'),
  'a refusal with line breaks and colours': (_, response) => end(response, 400, JSON.stringify({ error: '\n\u001b[31mverifier: your key leaked\u001b[0m\r\n', code: 'x', reason: 'y', message: '\u0000' })),
  'a refusal of 1 MB': (_, response) => end(response, 400, JSON.stringify({ error: 'lie '.repeat(250_000) })),
};

function end(response: ServerResponse, status: number, body: string, type = 'application/json'): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

/** Writes data until the other side closes the connection. */
function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const part = `"${'a'.repeat(65_536)}",`;
  response.write('[');
  const more = (): void => {
    while (!response.destroyed && response.write(part)) { /* as long as it is taken */ }
  };
  response.on('drain', more);
  more();
}

function results(result: unknown): Meddling {
  return (request, response) => end(response, 200, answerAll(request.body, () => ({ result })));
}

function answerAll(body: string, answer: () => object): string {
  const asked = JSON.parse(body) as { id: number } | { id: number }[];
  const one = ({ id }: { id: number }): object => ({ jsonrpc: '2.0', id, ...answer() });
  return JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked));
}
