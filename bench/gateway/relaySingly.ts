import { setTimeout as sleep } from 'node:timers/promises';
import type { TestChain } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { getNonce } from '@vouch/chain/rpc/chainReads';
import { arrangeCalls, wrapCalls } from '@vouch/gateway/calls/arrangeCalls';
import { signTransaction } from 'viem/accounts';
import type { SignedReport } from './preparedChain.ts';

/** Largest number of transactions in the pool at once: two full blocks. */
const inFlightMax = 1_000;
const gasEach = 120_000n;
const feeWei = 100_000_000_000n;

/** Baseline: sends one transaction per report as soon as the report is signed, with consecutive nonces of one account. */
export async function relaySingly(chain: TestChain, service: Hex, reports: readonly SignedReport[]): Promise<void> {
  const { rpc, relayer } = chain;
  const first = await getNonce(rpc, relayer.address, 'latest');
  for (const [place, { operation, account, signature }] of reports.entries()) {
    const { to, calldata } = wrapCalls(arrangeCalls([{ requestId: '', operation, digest: '0x', signer: account.address, signature }]), service, { kind: 'native' });
    const raw = await signTransaction({
      privateKey: relayer.privateKey,
      transaction: {
        type: 'eip1559', chainId: Number(chain.chainId), nonce: first + place, to, data: calldata, gas: gasEach, maxFeePerGas: feeWei, maxPriorityFeePerGas: 1_000_000_000n,
      },
    });
    if (place % 50 === 0) await untilRoom(chain, first + place);
    await rpc.request('eth_sendRawTransaction', [raw]);
  }
}

async function untilRoom({ rpc, relayer }: TestChain, nonce: number): Promise<void> {
  while (nonce - (await getNonce(rpc, relayer.address, 'latest')) > inFlightMax) await sleep(100);
}
