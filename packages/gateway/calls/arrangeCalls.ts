import { multicall3Abi } from '@vouch/chain/contracts/abi/multicall3';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { Hex, Operation, Signature } from '@vouch/chain/messages/operation';
import { encodeFunctionData } from 'viem';

/** An accepted message as part of a transaction. */
export interface SignedOperation {
  requestId: string;
  operation: Operation;
  /** EIP-712 digest; identifies the message in the events of an isolating contract. */
  digest: Hex;
  signer: Hex;
  signature: Signature;
}

/** One call to the service contract: a single node change, or the reports of one attestation. */
export type ArrangedCall =
  | { kind: 'single'; data: Hex; member: number }
  | { kind: 'reports'; attestationId: Hex; data: Hex; members: readonly number[] };

/**
 * How a failing entry is kept from reverting the others. `native`: the service contract isolates entries. `multicall3`: each call
 * goes through Multicall3 and may fail alone; the reports of one call still fail together.
 */
export type Isolation = { kind: 'native' } | { kind: 'multicall3'; address: Hex };

/** Recipient and calldata of a transaction. */
export interface Payload {
  to: Hex;
  calldata: Hex;
}

/**
 * Groups operations into calls: reports of one attestation share a call, and each signer's operations keep their order.
 * @param operations in order of acceptance
 * @returns calls whose members are positions in `operations`
 * @example
 * const { to, calldata } = wrapCalls(arrangeCalls(operations), service, { kind: 'native' });
 */
export function arrangeCalls(operations: readonly SignedOperation[]): ArrangedCall[] {
  const drafts: { attestationId: Hex | null; members: number[] }[] = [];
  const openReports = new Map<Hex, number>();
  /** Index of each signer's last call with a node change; a later report of that signer must not precede this call. */
  const rareCalls = new Map<Hex, number>();
  operations.forEach(({ operation, signer }, member) => {
    if (operation.kind !== 'report') {
      rareCalls.set(signer, drafts.length);
      drafts.push({ attestationId: null, members: [member] });
      return;
    }
    const open = openReports.get(operation.attestationId);
    const draft = open === undefined || open < (rareCalls.get(signer) ?? -1) ? undefined : drafts[open];
    if (draft !== undefined) {
      draft.members.push(member);
      return;
    }
    openReports.set(operation.attestationId, drafts.length);
    drafts.push({ attestationId: operation.attestationId, members: [member] });
  });
  return drafts.map(({ attestationId, members }) => {
    const carried = members.map((member) => operations[member] as SignedOperation);
    if (attestationId === null) return { kind: 'single', data: encodeSingle(carried[0] as SignedOperation), member: members[0] as number };
    return { kind: 'reports', attestationId, data: encodeReports(attestationId, carried), members };
  });
}

/** Wraps calls in one transaction. A single call of reports to an isolating contract needs no wrapping. */
export function wrapCalls(calls: readonly ArrangedCall[], service: Hex, isolation: Isolation): Payload {
  if (isolation.kind === 'multicall3') {
    const wrapped = calls.map(({ data }) => ({ target: service, allowFailure: true, callData: data }));
    return { to: isolation.address, calldata: encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [wrapped] }) };
  }
  const [first] = calls;
  if (calls.length === 1 && first?.kind === 'reports') return { to: service, calldata: first.data };
  const calldata = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'multicall', args: [calls.map(({ data }) => data)] });
  return { to: service, calldata };
}

/** Encodes one operation as a separate call, as any sender could submit it. */
export function encodeAlone(signed: SignedOperation): Hex {
  return signed.operation.kind === 'report' ? encodeReports(signed.operation.attestationId, [signed]) : encodeSingle(signed);
}

function encodeSingle({ operation, signer, signature: { v, r, s } }: SignedOperation): Hex {
  const abi = verifierServiceAbi;
  switch (operation.kind) {
    case 'enter':
      return encodeFunctionData({ abi, functionName: 'nodeEnterWithSignature', args: [operation.replacedNode, operation.expiredAt, signer, v, r, s] });
    case 'exit':
      return encodeFunctionData({ abi, functionName: 'nodeExitWithSignature', args: [operation.expiredAt, signer, v, r, s] });
    case 'commission':
      return encodeFunctionData({
        abi, functionName: 'nodeModifyCommissionRateWithSignature', args: [operation.commissionRate, operation.expiredAt, signer, v, r, s],
      });
    case 'claimer':
      return encodeFunctionData({ abi, functionName: 'nodeSetRewardClaimerWithSignature', args: [operation.claimer, operation.expiredAt, signer, v, r, s] });
    case 'report':
      throw new Error('a report is not a separate call');
  }
}

function encodeReports(attestationId: Hex, carried: readonly SignedOperation[]): Hex {
  const infos = carried.map(({ operation, signer, signature: { v, r, s } }) => {
    if (operation.kind !== 'report') throw new Error(`a ${operation.kind} is among reports`);
    return { result: operation.result, index: operation.index, signer, v, r, s };
  });
  return encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeReportVerificationBatch', args: [attestationId, infos] });
}
