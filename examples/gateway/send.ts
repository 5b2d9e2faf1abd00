// Signs one message with an operator of the local chain, sends it, and polls its status until the end. Uses only the HTTP interface of Vouch.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const { values } = parseArgs({ options: {
  url: { type: 'string', default: 'http://127.0.0.1:8080' },
  devnet: { type: 'string', default: './data/devnet.json' },
  operator: { type: 'string', default: '1' },
} });

interface DevnetFile {
  operators: { private_key: `0x${string}` }[];
}
interface Info {
  domain: { name: string; version: string; chain_id: number };
  chain: { time: number } | null;
}

function end(why: string): never {
  console.error(why);
  process.exit(1);
}

/** Sends a request to the server; ends the script if no server answers. */
async function ask(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(new URL(path, values.url), init);
  } catch {
    return end(`No server answers at ${values.url}. Start one with npm start, or name another server with --url.`);
  }
}

const devnet = await readFile(values.devnet, 'utf8').catch(() =>
  end(`${values.devnet} cannot be read. npm start writes this file to the data folder (the demo to ./data/demo); name its path with --devnet.`));
const { operators } = JSON.parse(devnet) as DevnetFile;
const operator = operators[Number(values.operator)] ?? end(`${values.devnet} has ${operators.length} operators, numbered from 0; --operator is ${values.operator}.`);
const account = privateKeyToAccount(operator.private_key);

const about = await ask('/gateway/info');
if (!about.ok) end(`${values.url}/gateway/info answered ${about.status}: ${await about.text()}`);
const { domain, chain } = (await about.json()) as Info;
if (chain === null) end(`The server at ${values.url} has no chain. Start it with npm start, which also starts a local chain.`);
const claimer = privateKeyToAccount(`0x${'42'.repeat(32)}`).address;
const expiredAt = Math.max(chain.time, Math.floor(Date.now() / 1000)) + 3_600;
const signature = await account.signTypedData({
  domain: { name: domain.name, version: domain.version, chainId: domain.chain_id },
  types: { NodeSetRewardClaimerData: [{ name: 'claimer', type: 'address' }, { name: 'expiredAt', type: 'uint256' }] },
  primaryType: 'NodeSetRewardClaimerData',
  message: { claimer, expiredAt: BigInt(expiredAt) },
});
const { r, s, yParity } = parseSignature(signature);

const answer = await ask('/explorer_alphanet/send_tx_set_reward_claimer', {
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: 'https://operator.example', 'user-agent': 'example', 'x-app-id': 'example' },
  body: JSON.stringify({ claimer, expired_at: expiredAt, signer: account.address, v: 27 + yParity, r: r.slice(2), s: s.slice(2) }),
});
console.log(answer.status, await answer.clone().text());
if (!answer.ok) process.exit(1);

const { data } = (await answer.json()) as { data: { request_id: string } };
const ends = ['confirmed', 'failed', 'expired'];
for (let status = ''; !ends.includes(status);) {
  await new Promise((resolve) => setTimeout(resolve, 200));
  const told = await ask(`/gateway/requests/${data.request_id}`);
  if (!told.ok) end(`The request for the record of ${data.request_id} answered ${told.status}: ${await told.text()}`);
  const record = (await told.json()) as { status: string };
  if (record.status !== status) console.log(ends.includes(record.status) ? JSON.stringify(record, null, 2) : record.status);
  status = record.status;
  if (status === 'failed' || status === 'expired') process.exitCode = 1;
}
