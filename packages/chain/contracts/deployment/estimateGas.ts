import type { Hex } from '../../messages/operation.ts';
import { parseInteger, parseBytes, parseList, parseObject, parseQuantity } from '../../rpc/parseResult.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { RpcRefused } from '../../rpc/rpcErrors.ts';
import type { Step } from './planDeployment.ts';
import { zeroAddress } from '../../messages/zeroAddress.ts';

/** Gas estimates of consecutive transactions. */
export type GasEstimate =
  | { kind: 'simulated'; gas: readonly bigint[] }
  /** Computed from the size of the data, because the endpoint cannot simulate. */
  | { kind: 'computed'; gas: readonly bigint[] }
  | { kind: 'reverts'; step: Step; data: Hex };

/** Calls per simulated block, so that several contract creations fit within the block's gas limit. */
const callsPerBlock = 3;
/** Upper estimate of the gas for storage writes of a call or constructor: twenty new words. */
const effectGas = 500_000n;

/**
 * Code that creates a contract from its call data. Some nodes cannot simulate a transaction that creates a contract, so the simulation
 * gives this code to the deployer's account: creator and nonce, and thus the new address, stay the same. Overhead: about 6,000 gas.
 *   calldatacopy(0, 0, calldatasize())
 *   if iszero(create(0, 0, calldatasize())) { returndatacopy(0, 0, returndatasize()) revert(0, returndatasize()) }
 */
const creatingCode: Hex = '0x365f5f37365f5ff0806013573d5f5f3e3d5ffd5b00';

/**
 * Estimates the gas of each step with `eth_simulateV1`, in which each step sees the effects of the previous ones. If the endpoint does
 * not support this method, the estimate is computed from the data.
 * @throws RpcUnavailable
 */
export async function estimateGas(rpc: RpcClient, from: Hex, steps: readonly Step[], signal?: AbortSignal): Promise<GasEstimate> {
  const calls = steps.map(({ to, data }) => (to === null ? { from: zeroAddress, to: from, input: data } : { from, to, input: data }));
  const blocks = Array.from({ length: Math.ceil(calls.length / callsPerBlock) }, (_, at) => ({
    ...(at === 0 ? { stateOverrides: { [from]: { code: creatingCode } } } : {}), calls: calls.slice(at * callsPerBlock, (at + 1) * callsPerBlock),
  }));
  const outcomes = await rpc.ask('eth_simulateV1', [{ blockStateCalls: blocks, validation: false, traceTransfers: false }, 'latest'], parseOutcomes, signal)
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

function parseOutcomes(answer: unknown): Outcome[] {
  return parseList(answer, parseObject).flatMap((block) => parseList(block['calls'], (value) => {
    const call = parseObject(value);
    return { succeeded: parseInteger(call['status']) === 1, gasUsed: parseQuantity(call['gasUsed']), data: parseBytes(call['returnData'] ?? '0x') };
  }));
}

/** Gas by Ethereum's rules (EIP-2028, EIP-3860, EIP-170): call data, and for a contract its creation and 200 per byte of code. */
function computeGas({ data, to }: Step): bigint {
  const bytes = Buffer.from(data.slice(2), 'hex');
  const zeros = bytes.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);
  const dataGas = BigInt(4 * zeros + 16 * (bytes.length - zeros));
  const creationGas = to === null ? BigInt(32_000 + 2 * Math.ceil(bytes.length / 32) + 200 * bytes.length) : 0n;
  return 21_000n + dataGas + creationGas + effectGas;
}
