import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { RpcRefused } from './rpcErrors.ts';

const [attempts, pauseMs] = [5, 400];

/**
 * Runs reads of one block, and runs them again after a pause if an endpoint refuses one: of several machines behind one address, the next one may not have the
 * block yet; or a reorganization has removed it, so each run reads the newest block anew.
 * @throws the error of the last run; other errors than RpcRefused at once
 */
export async function retryRefused<Result>(read: () => Promise<Result>, timers: SystemInterfaces['timers']): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof RpcRefused) || attempt === attempts) throw error;
      await timers.sleep(pauseMs);
    }
  }
}
