import { answering, sendJson, type Behaviour } from './misbehavingServer.ts';

/** All ways in which an endpoint can fail, with the expected message of a client that waits 0.3 s and reads 10,000 bytes. */
export const misbehaviours: readonly [string, Behaviour, RegExp][] = [
  ['HTTP 500', (response) => response.writeHead(500).end('oops'), /HTTP 500/],
  ['HTTP 401', (response) => response.writeHead(401).end(), /HTTP 401 \(a valid key is required/],
  ['HTTP 429', (response) => sendJson(response, { jsonrpc: '2.0', error: { code: 1, message: 'slow down' } }, 429), /HTTP 429 \(too many/],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /redirects are not followed/],
  ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>'), /invalid JSON/],
  ['half of its JSON', (response) => response.writeHead(200).end('{"jsonrpc":"2.0","id":1,"resu'), /invalid JSON/],
  ['half of its body', (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"jsonrpc"');
    setImmediate(() => response.destroy());
  }, /closed the connection before the answer was complete/],
  ['nothing and hangs up', (response) => response.destroy(), /closed the connection/],
  ['nothing', () => {}, /did not answer eth_blockNumber within 0\.3 s/],
  ['its headers and then nothing', (response) => void response.writeHead(200).write('{'), /within 0\.3 s/],
  ['a list', (response) => sendJson(response, []), /invalid JSON-RPC response/],
  ['a number', (response) => sendJson(response, 7), /invalid JSON-RPC response/],
  ['the answer to another call', (response) => sendJson(response, { jsonrpc: '2.0', id: 999_999, result: '0x1' }), /another call/],
  ['neither result nor error', (response, { body }) => sendJson(response, { jsonrpc: '2.0', id: (body as { id: number }).id }), /neither result nor error/],
  ['more than is read', (response) => response.writeHead(200).end('x'.repeat(20_000)), /more than 10000 bytes/],
  ['more than is read, without end', (response) => {
    const flood = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1_000)));
      if (!response.destroyed) response.once('drain', flood);
    };
    response.writeHead(200);
    flood();
  }, /more than 10000 bytes/],
  ['a result that is none', answering(() => ({ result: 'soon' })), /answered eth_blockNumber with an invalid result: "soon" is not a quantity/],
  ['a result that is an object', answering(() => ({ result: { toString: null } })), /an? object is not a quantity/],
  ['that it has no such method', answering(() => ({ error: { code: -32_601, message: 'the method does not exist' } })), /does not exist/],
  ['that its limit is reached', answering(() => ({ error: { code: -32_000, message: 'daily request limit reached' } })), /limit reached/],
];
