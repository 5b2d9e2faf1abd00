import { createRequire } from 'node:module';
import { digestOf } from '@vouch/chain/messages/digest';
import { readVectors } from '@vouch/chain/testing/readVectors';
import { createLibauthRecovery } from '@vouch/chain/messages/libauthRecovery';
import { publicKeyAddress } from '@vouch/chain/messages/publicKeyAddress';
import { createSecp256k1Recovery } from '@vouch/chain/messages/secp256k1Recovery';
import { typedDataOf } from '@vouch/chain/messages/typedData';
import { hashTypedData, hexToBytes, recoverAddress } from 'viem';
import { interleave, type Contender } from '../harness/interleave.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';

/** Compares implementations of signature recovery and of encoding, in operations per second of this process's CPU time. */
const { values } = parseCommandLine({ options: { rounds: { type: 'string', default: '7' } } });
const rounds = Number(values.rounds);

const vectors = readVectors().map((vector) => ({ ...vector, bytes: hexToBytes(vector.digest), domainBytes: hexToBytes(vector.domainHash) }));
type Vector = (typeof vectors)[number];

/** Measures `count` operations and returns the operations per second of CPU time. */
function perCpuSecond(count: number, work: (vector: Vector) => unknown): Contender {
  return async () => {
    const before = process.cpuUsage();
    for (let done = 0; done < count; done += 1) await work(vectors[done % vectors.length] as Vector);
    const { user, system } = process.cpuUsage(before);
    return (count * 1e6) / (user + system);
  };
}

function check(name: string, recovered: unknown, { signer }: Vector): void {
  if (recovered !== signer) throw new Error(`${name} recovers ${String(recovered)}, not ${signer}`);
}

const native = createSecp256k1Recovery();
if (native === null) throw new Error('secp256k1 has no addon for this platform: there is nothing to compare with');
const libauth = await createLibauthRecovery();
const elliptic = createRequire(import.meta.url)('secp256k1/elliptic.js') as {
  ecdsaRecover(signature: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: boolean): Uint8Array;
};
const byElliptic = ({ bytes, signature: { r, s, v } }: Vector): string =>
  publicKeyAddress(elliptic.ecdsaRecover(hexToBytes(`${r}${s.slice(2)}`), v - 27, bytes, false));
const byViem = async ({ digest, signature }: Vector): Promise<string> =>
  (await recoverAddress({ hash: digest, signature: { r: signature.r, s: signature.s, v: BigInt(signature.v) } })).toLowerCase();

for (const vector of vectors) {
  check('secp256k1', native.recover(vector.bytes, vector.signature), vector);
  check('libauth', libauth.recover(vector.bytes, vector.signature), vector);
  check('elliptic', byElliptic(vector), vector);
  check('viem', await byViem(vector), vector);
}

const byNative = perCpuSecond(3_000, ({ bytes, signature }) => native.recover(bytes, signature));
const rows: (string | number)[][] = [];

async function compare(what: string, ours: Contender, theirs: Contender): Promise<void> {
  const report = await interleave({ ours, theirs, rounds, warmup: 1 });
  rows.push([what, formatRatio(report), Math.round(report.ours), Math.round(report.theirs)]);
}

await compare('recovery: `@bitauth/libauth` (WebAssembly), the fallback, to native `secp256k1`', perCpuSecond(1_000, ({ bytes, signature }) => libauth.recover(bytes, signature)), byNative);
await compare('recovery: viem (`@noble/curves`) to native `secp256k1`', perCpuSecond(100, byViem), byNative);
await compare("recovery: `elliptic`, which the package `secp256k1` falls back to by itself, to native `secp256k1`", perCpuSecond(100, byElliptic), byNative);
await compare('digest of an operation: laid by hand to viem’s `hashTypedData`', perCpuSecond(10_000, ({ operation, domainBytes }) => digestOf(operation, domainBytes)), perCpuSecond(500, ({ operation, domain }) => hashTypedData(typedDataOf(operation, domain))));
await compare('an intake: digest and recovery, to recovery alone', perCpuSecond(3_000, ({ operation, domainBytes, signature }) => native.recover(digestOf(operation, domainBytes), signature)), byNative);

await reportTable({
  name: 'gateway-recovery',
  title: 'Who signed: recovery and encoding',
  command: `node --import tsx bench/gateway/recovery.ts --rounds ${rounds}`,
  data: `the ${vectors.length} messages of packages/chain/messages/fixtures/vectors.json, all recovered rightly by every contender first`,
  columns: ['what', 'ratio', 'ours per CPU second', 'theirs per CPU second'],
  rows,
  notes: [
    'Each recovery includes the checks of its numbers and the address of the key it finds. Native is opened where its addon loads and recovers a known message; otherwise libauth is.',
  ],
});
