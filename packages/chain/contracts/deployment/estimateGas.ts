import type { Hex } from '../../messages/operation.ts';
import { readInteger, readBytes, readList, readObject, readQuantity } from '../../rpc/readResult.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { RpcRefused } from '../../rpc/rpcErrors.ts';
import type { Step } from './planDeployment.ts';
import { zeroAddress } from '../../messages/zeroAddress.ts';

/** What transactions that follow each other would need. */
export type GasEstimate =
  | { kind: 'simulated'; gas: readonly bigint[] }
  /** Computed from the sizes: the endpoint simulates nothing. */
  | { kind: 'computed'; gas: readonly bigint[] }
  | { kind: 'reverts'; step: Step; data: Hex };

/** So many calls of a simulated block, so that several creations fit its gas limit. */
const callsPerBlock = 3;
/** What a call or a constructor writes, generously: twenty new words. */
const effectGas = 500_000n;

/**
 * Some nodes simulate no transaction that makes a contract. Therefore the account itself gets this code, which makes a contract from what
 * it is called with: creator and nonce are the same, and so is the address. It costs some 6,000 gas more than the transaction.
 *   calldatacopy(0, 0, calldatasize())
 *   if iszero(create(0, 0, calldatasize())) { returndatacopy(0, 0, returndatasize()) revert(0, returndatasize()) }
 */
const creatingCode: Hex = '0x365f5f37365f5ff0806013573d5f5f3e3d5ffd5b00';

/**
 * Gas of each step by `eth_simulateV1`, where every step sees what those before it did; computed where the endpoint cannot.
 * @throws RpcUnavailable
 */
export async function estimateGas(rpc: RpcClient, from: Hex, steps: readonly Step[], signal?: AbortSignal): Promise<GasEstimate> {
  const calls = steps.map(({ to, data }) => (to === null ? { from: zeroAddress, to: from, input: data } : { from, to, input: data }));
  const blocks = Array.from({ length: Math.ceil(calls.length / callsPerBlock) }, (_, at) => ({
    ...(at === 0 ? { stateOverrides: { [from]: { code: creatingCode } } } : {}), calls: calls.slice(at * callsPerBlock, (at + 1) * callsPerBlock),
  }));
  const outcomes = await rpc.ask('eth_simulateV1', [{ blockStateCalls: blocks, validation: false, traceTransfers: false }, 'latest'], readOutcomes, signal)
    .catch((error: unknown) => {
      if (error instanceof RpcRefused) return null;
      throw error;
    });
  if (outcomes === null || outcomes.length !== steps.length) return { kind: 'computed', gas: steps.map(computeGas) };
  const failed = outcomes.findIndex(({ succeeded }) => !succeeded);
  const step = steps[failed];
  if (step !== undefined) return { kind: 'reverts', step, data: outcomes[failed]?.data ?? '0x' };
  return { kind: 'simulated', gas: outcomes.map(({ gasUsed }) => gasUsed) };
}

interface Outcome {
  succeeded: boolean;
  gasUsed: bigint;
  data: Hex;
}

function readOutcomes(answer: unknown): Outcome[] {
  return readList(answer, readObject).flatMap((block) => readList(block['calls'], (value) => {
    const call = readObject(value);
    return { succeeded: readInteger(call['status']) === 1, gasUsed: readQuantity(call['gasUsed']), data: readBytes(call['returnData'] ?? '0x') };
  }));
}

/** Prices of Ethereum (EIP-2028, EIP-3860, EIP-170): call data, and for a contract the creation and 200 for each byte that is kept. */
function computeGas({ data, to }: Step): bigint {
  const bytes = Buffer.from(data.slice(2), 'hex');
  const zeros = bytes.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);
  const dataGas = BigInt(4 * zeros + 16 * (bytes.length - zeros));
  const creationGas = to === null ? BigInt(32_000 + 2 * Math.ceil(bytes.length / 32) + 200 * bytes.length) : 0n;
  return 21_000n + dataGas + creationGas + effectGas;
}
