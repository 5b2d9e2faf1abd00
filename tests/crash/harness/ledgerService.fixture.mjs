// Test service for the kill harness: appends requests to a file, correctly or with one planted fault.
// Usage: ledgerService.fixture.mjs <file> <port> <careful|forgetful|doubling|halving>
import { appendFileSync, existsSync, openSync, readFileSync, writeSync, fsyncSync } from 'node:fs';
import { createServer } from 'node:http';

const [file, port, manner] = process.argv.slice(2);
const remembered = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
const descriptor = openSync(file, 'a');

createServer((request, response) => {
  const id = decodeURIComponent(request.url.slice(1));
  if (request.method === 'GET') {
    response.end(JSON.stringify(remembered));
    return;
  }
  remembered.push(`${id} whole`);
  if (manner === 'halving') writeSync(descriptor, `${id} half\n`);
  if (manner === 'careful' || manner === 'doubling') writeSync(descriptor, `${id} whole\n`);
  if (manner === 'doubling') appendFileSync(file, `${id} whole\n`);
  fsyncSync(descriptor);
  // In the mode `forgetful`, nothing has been written: acknowledged requests exist in memory only.
  response.writeHead(201).end();
}).listen(Number(port), '127.0.0.1');
