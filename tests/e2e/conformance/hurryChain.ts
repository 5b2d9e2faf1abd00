import { join } from 'node:path';
import { readDevnetFile } from '@vouch/chain/devnet/devnetFile';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';

/** Mining of a server's local chain by the test. */
export interface Hurry {
  stop(): Promise<void>;
}

/** Interval in ms of looking for transactions. */
const pollMs = 50;

/**
 * Mines transactions of a server's local chain at once, with the block that confirms them. The local chain itself mines once a
 * second, and the checks of messages wait for about 150 transactions one after the other.
 * @param folder data folder of the server
 */
export async function hurryChain(folder: string): Promise<Hurry> {
  const facts = await readDevnetFile(join(folder, 'devnet.json'));
  if (facts === null) throw new Error(`there is no local chain: ${folder} has no devnet.json`);
  const rpc = createRpcClient({ urls: [facts.rpcUrl], timeoutMs: 240_000 }, systemInterfaces);
  const stopping = new AbortController();
  const mine = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const { pending } = await rpc.request<{ pending: string }>('txpool_status');
      if (Number(pending) > 0) {
        await rpc.request('evm_mine');
        await rpc.request('evm_mine');
      }
      await systemInterfaces.timers.sleep(pollMs, stopping.signal);
    }
  };
  const mining = mine();
  // `stop` reports the error.
  mining.catch(() => {});
  return {
    async stop() {
      stopping.abort();
      await mining;
    },
  };
}
