import type { Connect } from '@vouch/chain/rpc/endpoint';
import type { Domain, Hex, Operation, OperationKind } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { signOperation } from '@vouch/chain/messages/sign';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import packageFile from '../package.json' with { type: 'json' };
import { ExchangeFault } from './exchange.ts';
import { exchangeJson, type JsonAnswer } from './exchangeJson.ts';
import { SendFault, type Sender } from '../context/sender.ts';

interface GatewaySenderOptions {
  /** URL without a trailing slash, with or without the prefix of the paths. */
  url: string;
  /** The `version` field of messages; null: no field. */
  version: string | null;
  domain: Domain;
  node: Hex;
  privateKey: Hex;
  timers: Timers;
  /** Opens the HTTP connections to a gateway; simulations replace the default. */
  connect?: Connect | undefined;
}

/** Paths of the gateway's documentation; the third has no `node_`. */
const paths: Readonly<Record<OperationKind, string>> = {
  enter: '/send_tx_node_enter', exit: '/send_tx_node_exit', commission: '/send_tx_modify_commission_rate', claimer: '/send_tx_set_reward_claimer',
  report: '/send_tx_node_report_verification',
};
const prefix = '/explorer_alphanet';
const timeoutMs = 30_000;
const maxSentenceLength = 400;

/** Sends signed messages to a gateway, which submits them on-chain and pays the gas. */
export function createGatewaySender({ url, version, domain, node, privateKey, timers, connect }: GatewaySenderOptions): Sender {
  const base = /\/explorer(?:_alphanet)?$/.test(new URL(url).pathname) ? url : `${url}${prefix}`;
  const headers = { origin: new URL(url).origin, 'user-agent': `vouch-verifier/${packageFile.version}`, 'x-app-id': 'verifier' };
  const ask = async (path: string, method: 'GET' | 'POST', body: unknown, signal: AbortSignal | undefined): Promise<JsonAnswer> => {
    try {
      return await exchangeJson({ url: base + path, method, headers, timeoutMs, ...(body === undefined ? {} : { body }), ...(signal === undefined ? {} : { signal }) }, timers, connect);
    } catch (error) {
      if (error instanceof ExchangeFault) throw new SendFault('unavailable', `The gateway cannot be used: ${error.message}.`);
      throw error;
    }
  };
  return {
    async send(operation, note, signal) {
      const { v, r, s } = await signOperation(operation, domain, privateKey);
      await note(null);
      const body = { ...bodyOf(operation), signer: showAddress(node), v, r: r.slice(2), s: s.slice(2), ...(version === null ? {} : { version }) };
      checkAccepted(await ask(paths[operation.kind], 'POST', body, signal));
    },
    async replacedNode(signal) {
      const answer = await ask(`/replaced_node?verifierAddr=${showAddress(node)}`, 'GET', undefined, signal);
      checkAccepted(answer);
      const data = field(answer.body, 'data');
      const address = field(data, 'replaced_addr');
      if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address)) return zeroAddress;
      return `0x${address.slice(2).toLowerCase()}`;
    },
    tend: async () => {},
  };
}

function bodyOf(operation: Operation): Record<string, string | number> {
  switch (operation.kind) {
    case 'enter':
      return { replaced_node: showAddress(operation.replacedNode), expired_at: Number(operation.expiredAt) };
    case 'exit':
      return { expired_at: Number(operation.expiredAt) };
    case 'commission':
      return { commission_rate: operation.commissionRate, expired_at: Number(operation.expiredAt) };
    case 'claimer':
      return { claimer: showAddress(operation.claimer), expired_at: Number(operation.expiredAt) };
    case 'report':
      return { attestation_id: operation.attestationId, result: operation.result, index: operation.index };
  }
}

/** Checks that the gateway accepted the message: HTTP 200 with code 0. @throws SendFault */
function checkAccepted({ status, body, retryAfterSeconds }: JsonAnswer): void {
  if (status === 200 && field(body, 'code') === 0) return;
  const said = [field(body, 'error'), field(body, 'message'), field(body, 'msg')].find((text) => typeof text === 'string');
  const code = [field(body, 'reason'), field(body, 'code')].find((text) => typeof text === 'string') as string | undefined;
  const why = typeof said === 'string' ? said.replaceAll(/\p{Cc}+/gu, ' ').slice(0, maxSentenceLength) : 'without a readable reason';
  if (status === 400 || status === 200 || (status === 404 && code !== undefined)) {
    if (code === 'quota') throw new SendFault('unavailable', `The gateway currently accepts no more messages of this node: ${why}`, code, retryAfterSeconds);
    // An HTML page with status 200 does not come from the gateway.
    if (status !== 200 || typeof field(body, 'code') === 'number') throw new SendFault('refused', `The gateway rejected the message: ${why}`, code?.slice(0, 60) ?? null, retryAfterSeconds);
  }
  throw new SendFault('unavailable', `The gateway answered with HTTP ${status}, ${typeof said === 'string' ? `saying: ${why}` : why}.`, code?.slice(0, 60) ?? null, retryAfterSeconds);
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>)[name] : undefined;
}
