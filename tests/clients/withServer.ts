// Runs a command beside a server with a local chain, for the clients that others generate from docs/openapi.json. The environment of the command has
// the URL and the key of the server, and FLOW: a JSON file with the data to send. Ends with the exit code of the command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { serveVouch, type ServedVouch } from '../../bench/harness/serveVouch.ts';
import { entitiesCsv, interactionsCsv } from '../../packages/recommender/conformance/sampleData.ts';
import { makeFixture } from '../../packages/video/engine/testing/clips/makeFixture.ts';

/** What a flow sends. */
interface Flow {
  /** CSV texts. */
  entities: string;
  interactions: string;
  /** A complete upload, as `media_url`. */
  media_url: string;
  /** A signed message. */
  message: { claimer: string; expired_at: number; signer: string; v: number; r: string; s: string };
}

async function uploadClip({ url, key }: ServedVouch): Promise<string> {
  const clip = await readFile(await makeFixture({ seconds: 4, cuts: [2] }));
  const headers = { apikey: key, 'tus-resumable': '1.0.0' };
  const made = await fetch(`${url}/v1/uploads`, { method: 'POST', headers: { ...headers, 'upload-length': String(clip.length) } });
  const { upload_id: id, media_url: mediaUrl } = await made.json() as { upload_id: string; media_url: string };
  const sent = await fetch(`${url}/v1/uploads/${id}`, { method: 'PATCH', headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }, body: new Uint8Array(clip) });
  if (!sent.ok) throw new Error(await sent.text());
  return mediaUrl;
}

/** Signs with an operator of the local chain who receives the rewards. */
async function signMessage({ url, folder }: ServedVouch): Promise<Flow['message']> {
  const { operators } = JSON.parse(await readFile(join(folder, 'devnet.json'), 'utf8')) as { operators: { private_key: `0x${string}` }[] };
  const account = privateKeyToAccount(operators[1]!.private_key);
  const { domain, chain } = await (await fetch(`${url}/gateway/info`)).json() as { domain: { name: string; version: string; chain_id: number }; chain: { time: number } };
  const claimer = privateKeyToAccount(`0x${'42'.repeat(32)}`).address;
  const expiredAt = Math.max(chain.time, Math.floor(Date.now() / 1_000)) + 3_600;
  const { r, s, yParity } = parseSignature(await account.signTypedData({
    domain: { name: domain.name, version: domain.version, chainId: domain.chain_id },
    types: { NodeSetRewardClaimerData: [{ name: 'claimer', type: 'address' }, { name: 'expiredAt', type: 'uint256' }] },
    primaryType: 'NodeSetRewardClaimerData',
    message: { claimer, expiredAt: BigInt(expiredAt) },
  }));
  return { claimer, expired_at: expiredAt, signer: account.address, v: 27 + yParity, r: r.slice(2), s: s.slice(2) };
}

const [program = '', ...words] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'vouch-clients-'));
const vouch = await serveVouch({ arguments: ['--devnet'], environment: { VOUCH_TRAIN_NICENESS: '0', VOUCH_VIDEO_NICENESS: '0' } });
try {
  const flow: Flow = { entities: entitiesCsv(), interactions: interactionsCsv(), media_url: await uploadClip(vouch), message: await signMessage(vouch) };
  const path = join(folder, 'flow.json');
  await writeFile(path, JSON.stringify(flow));
  const child = spawn(program, words, { stdio: 'inherit', env: { ...process.env, VOUCH_URL: vouch.url, VOUCH_API_KEY: vouch.key, FLOW: path } });
  const [code] = await once(child, 'exit') as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await vouch.stop();
  await rm(folder, { recursive: true, force: true });
}
