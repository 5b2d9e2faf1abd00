// Signs one message with an operator of the local chain and follows it until it has ended. Needs nothing of Vouch but HTTP.
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
  chain: { time: number };
}

const { operators } = JSON.parse(await readFile(values.devnet, 'utf8')) as DevnetFile;
const operator = operators[Number(values.operator)];
if (operator === undefined) throw new Error(`${values.devnet} has ${operators.length} operators, numbered from 0; --operator is ${values.operator}.`);
const account = privateKeyToAccount(operator.private_key);

const { domain, chain } = (await (await fetch(`${values.url}/gateway/info`)).json()) as Info;
const claimer = privateKeyToAccount(`0x${'42'.repeat(32)}`).address;
const expiredAt = Math.max(chain.time, Math.floor(Date.now() / 1000)) + 3_600;
const signature = await account.signTypedData({
  domain: { name: domain.name, version: domain.version, chainId: domain.chain_id },
  types: { NodeSetRewardClaimerData: [{ name: 'claimer', type: 'address' }, { name: 'expiredAt', type: 'uint256' }] },
  primaryType: 'NodeSetRewardClaimerData',
  message: { claimer, expiredAt: BigInt(expiredAt) },
});
const { r, s, yParity } = parseSignature(signature);

const answer = await fetch(`${values.url}/explorer_alphanet/send_tx_set_reward_claimer`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: 'https://operator.example', 'user-agent': 'example', 'x-app-id': 'example' },
  body: JSON.stringify({ claimer, expired_at: expiredAt, signer: account.address, v: 27 + yParity, r: r.slice(2), s: s.slice(2) }),
});
console.log(answer.status, await answer.clone().text());
if (!answer.ok) process.exit(1);

const { data } = (await answer.json()) as { data: { request_id: string } };
for (let status = ''; !['confirmed', 'failed', 'expired'].includes(status);) {
  await new Promise((resolve) => setTimeout(resolve, 200));
  const record = (await (await fetch(`${values.url}/gateway/requests/${data.request_id}`)).json()) as { status: string };
  if (record.status !== status) console.log(record.status === 'confirmed' ? JSON.stringify(record, null, 2) : record.status);
  status = record.status;
}
