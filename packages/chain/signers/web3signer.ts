import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { parseTransaction, toHex } from 'viem';
import type { Hex } from '../messages/operation.ts';
import { createRpcClient } from '../rpc/createRpcClient.ts';
import { RpcRefused, RpcUnavailable, type EndpointFault } from '../rpc/rpcErrors.ts';
import type { BareSignature } from './completeSignature.ts';
import { createSigner, type Signable } from './createSigner.ts';
import type { KeyReference } from './keyReference.ts';
import { readTlsFiles } from './readTlsFiles.ts';
import type { Signer, UnsignedTransaction } from './signer.ts';
import { SignerFault } from './signerFault.ts';
import type { TimeLimit } from './timeLimit.ts';

/** Maximum size of an answer in bytes. A signed batch has at most 128 KB, twice as much in hex digits. */
const answerBytesMax = 2 ** 20;

type Reference = Pick<Extract<KeyReference, { service: 'web3signer' }>, 'url' | 'tls' | 'address'>;

/**
 * Opens a key of web3signer, or of another server with `eth_accounts`, `eth_signTransaction` and `eth_sign`. web3signer signs only for the
 * chain id that it was started with.
 * @throws SignerFault; the reason of `signal`
 */
export async function openWeb3signer(
  { url, tls, address }: Reference, { name, timeoutMs }: TimeLimit, system: Pick<SystemInterfaces, 'clock' | 'elapsedMs' | 'timers'>, signal?: AbortSignal,
): Promise<Signer> {
  const rpc = createRpcClient({ urls: [url], timeoutMs, answerBytesMax, tls: await readTlsFiles(tls, name) }, system);
  const ask = <Result>(method: string, params: readonly unknown[], parse: (result: unknown) => Result, within?: AbortSignal): Promise<Result> =>
    rpc.ask(method, params, parse, within).catch((error: unknown) => { throw asFault(error, name); });
  const accounts = await ask('eth_accounts', [], parseAccounts, signal);
  if (!accounts.includes(address)) {
    throw new SignerFault('wrong-key', `${name} does not have the key of ${address}, only ${accounts.length} other keys. Load the key into web3signer, or correct the Ethereum address after "#".`);
  }
  return createSigner({
    address,
    name,
    async sign(what, within) {
      if ('text' in what) return ask('eth_sign', [address, toHex(what.text)], parseSignature, within);
      return ask('eth_signTransaction', [toCall(what.transaction, address)], (raw) => parseRaw(raw, what), within);
    },
  });
}

function toCall({ chainId, nonce, to, data, value = 0n, gasLimit, maxFeeWei, priorityFeeWei, legacy }: UnsignedTransaction, from: Hex): object {
  return {
    from, ...(to === null ? {} : { to }), data, chainId: toHex(chainId), nonce: toHex(nonce), value: toHex(value), gas: toHex(gasLimit),
    ...(legacy ? { gasPrice: toHex(maxFeeWei) } : { maxFeePerGas: toHex(maxFeeWei), maxPriorityFeePerGas: toHex(priorityFeeWei) }),
  };
}

/** Reads r and s of a signed transaction. The caller verifies them against the digest of the requested transaction. */
function parseRaw(raw: unknown, what: Signable & { transaction: UnsignedTransaction }): BareSignature {
  const signed = parseTransaction(parseHex(raw));
  if (signed.chainId !== Number(what.transaction.chainId)) {
    throw new Error(`it signs for chain ${signed.chainId ?? 'none'}, not for chain ${what.transaction.chainId} (--chain-id of web3signer)`);
  }
  return { r: BigInt(signed.r ?? 0), s: BigInt(signed.s ?? 0) };
}

function parseSignature(result: unknown): BareSignature {
  const signature = parseHex(result);
  if (signature.length !== 132) throw new Error(`a signature has 65 bytes, not ${(signature.length - 2) / 2}`);
  return { r: BigInt(signature.slice(0, 66)), s: BigInt(`0x${signature.slice(66, 130)}`) };
}

function parseHex(result: unknown): Hex {
  if (typeof result !== 'string' || !/^0x[0-9a-f]+$/i.test(result)) throw new Error('expected hex digits');
  return result as Hex;
}

function parseAccounts(result: unknown): string[] {
  if (!Array.isArray(result)) throw new Error('expected a list of Ethereum addresses');
  return result.filter((each): each is string => typeof each === 'string').map((each) => each.toLowerCase());
}

function asFault(error: unknown, name: string): unknown {
  if (error instanceof RpcRefused) return explainRefusal(error, name);
  const [fault] = error instanceof RpcUnavailable ? error.faults : [];
  return fault === undefined ? error : new SignerFault(kindOf(fault), `${name}: ${fault.message}.`);
}

function explainRefusal({ said, code }: RpcRefused, name: string): SignerFault {
  if (/unlocked account|no signer available|unknown account/i.test(said)) {
    return new SignerFault('wrong-key', `${name} no longer has the key (${said}). Load the key into web3signer again.`);
  }
  if (/\brates?\b|rate.?limit|too many|throttl/i.test(said)) return new SignerFault('throttled', `${name} reached a rate limit (${said}).`);
  return new SignerFault('refused', `${name} refused to sign: ${said} (code ${code}). Start web3signer in its eth1 mode, and read its log.`);
}

function kindOf({ kind, status }: EndpointFault): SignerFault['kind'] {
  switch (kind) {
    case 'silent':
      return 'timeout';
    case 'busy':
      return status === 503 ? 'unreachable' : 'throttled';
    case 'unreachable':
      return 'unreachable';
    case 'status':
      return status !== null && status < 500 ? 'refused' : 'unreachable';
    case 'too-large':
    case 'unreadable':
    case 'other-chain':
      return 'bad-answer';
  }
}
