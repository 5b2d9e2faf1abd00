import { getAddress } from 'viem/utils';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { explainUnchanged } from '../../calls/explainUnchanged.ts';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import type { GatewayChain } from '../chainState/gatewayChain.ts';
import { checkExpiry } from './expiry.ts';
import { foreseeNode } from './futureNode.ts';
import { judgeEnter, judgeExit } from './judgeMembership.ts';
import { judgeCommission } from './judgePreferences.ts';
import { judgeReport } from './judgeReport.ts';

/** The result for a message that passed every check. */
export interface Judgement {
  /** Chain time in seconds since 1970 after which the message cannot take effect. */
  deadline: number;
  /** A sentence that explains why no transaction is needed; null if one may be needed. */
  unchanged: string | null;
  /** Whether the value is set only by pending messages or blocks that are not final: these can still fail or leave the chain. */
  mayBeUnchanged: boolean;
}

/** Reads the signer's accepted messages that have not ended; called only for rules that depend on these messages. */
export type Pending = () => Promise<readonly Operation[]>;

/** Finds the newest final block with a transaction of the gateway, which a lagging endpoint may not have yet. */
export type NewestFinal = () => Promise<number>;

/**
 * Checks the expiry of a message.
 * @throws Problem `message-expired`, `expires-too-soon`, `expires-too-late`, `chain-unavailable`
 */
export async function judgeExpiry(chain: GatewayChain, operation: Operation): Promise<void> {
  if (operation.kind === 'report') return;
  const [rules, { now }] = await Promise.all([chain.rules(), chain.reader.head()]);
  checkExpiry(operation.expiredAt, now, rules.maxExpiry);
}

/**
 * Checks a message against the contract's rules before a transaction is paid for.
 * @throws Problem of `ruleErrors`, of the expiry check, or `chain-unavailable`
 */
export async function judgeMessage(
  chain: GatewayChain, operation: Operation, signer: Hex, digest: Hex, pending: Pending, newestFinal: NewestFinal,
): Promise<Judgement> {
  await judgeExpiry(chain, operation);
  const { now } = await chain.reader.head();
  const [state, weight] = await Promise.all([chain.node(signer), chain.weight(signer)]);
  if (state.id === 0 && weight === 0) {
    throw gatewayErrors.problem('signer-unregistered',
      `${getAddress(signer)} is not a node: this account never entered the active set and has no license. Delegate a license to this Ethereum address, or sign with the key that holds a license.`);
  }
  if (operation.kind === 'report') {
    return { deadline: await judgeReport(chain, signer, operation, state, weight, now), unchanged: null, mayBeUnchanged: false };
  }
  // Sending is free for the signer, so each signer must hold a license, which backs only one key at a time; this limits abuse.
  if (weight === 0) {
    throw gatewayErrors.problem('no-weight',
      `${getAddress(signer)} has no license, so the gateway does not pay for this message. Delegate a license to this Ethereum address, or send the transaction to the contract directly.`);
  }
  if (await chain.isUsed(digest, signer)) {
    throw gatewayErrors.problem('message-used', 'The contract already executed this message, in a transaction of another sender. No action is needed; to repeat the operation, sign a new message. If a reorganization of the chain removes that transaction, send the message again.');
  }
  const underWay = await pending();
  const node = foreseeNode(state, underWay, now);
  await judgeRare(chain, operation, { signer, node, weight, now });
  const unchanged = explainUnchanged(node, operation);
  const isFinal = unchanged !== null && !underWay.some(({ kind }) => kind === operation.kind) && (await isSetFinally(chain, operation, signer, await newestFinal()));
  return { deadline: Number(operation.expiredAt), unchanged: isFinal ? unchanged : null, mayBeUnchanged: unchanged !== null && !isFinal };
}

async function isSetFinally(chain: GatewayChain, operation: Operation, signer: Hex, least: number): Promise<boolean> {
  const node = await chain.finalNode(signer, least);
  return node !== null && explainUnchanged(node, operation) !== null;
}

interface Facts {
  signer: Hex;
  node: ReturnType<typeof foreseeNode>;
  weight: number;
  now: number;
}

async function judgeRare(
  chain: GatewayChain, operation: Exclude<Operation, { kind: 'report' }>, { signer, node, weight, now }: Facts,
): Promise<void> {
  switch (operation.kind) {
    case 'enter':
      return judgeEnter(chain, signer, operation.replacedNode, node, weight);
    case 'exit':
      return judgeExit(signer, node);
    case 'commission':
      return judgeCommission(signer, operation.commissionRate, node, now, await chain.rules());
    case 'claimer':
      return;
  }
}
