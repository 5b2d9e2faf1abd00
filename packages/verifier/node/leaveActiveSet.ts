import { fetchView, serviceViews } from '@vouch/chain/contracts/service/views';
import { messageOf } from '../logging/messageOf.ts';
import { expiryOf } from '../membership/expiryOf.ts';
import type { NodeParts } from '../context/nodeParts.ts';

/** Resources for leaving the active set; a running node is not required. */
type LeavingParts = Pick<NodeParts, 'rpc' | 'configuration' | 'node' | 'sender' | 'time' | 'system' | 'log'>;

/** How long to wait until the chain shows that the node has left. */
const leaveMs = 90_000;
const pollMs = 1_000;

/**
 * Leaves the active set and waits until the chain shows it.
 * @param stop ends the wait
 * @returns `stayed` when the node did not leave in time, `stopped` when the wait was ended; the reason is logged
 */
export async function leaveActiveSet(
  { rpc, configuration, node, sender, time, system, log }: LeavingParts, stop = new AbortController().signal,
): Promise<'left' | 'stayed' | 'stopped'> {
  const until = system.elapsedMs() + leaveMs;
  let [isBegun, handedOver] = [false, false];
  for (;;) {
    let sentence = 'The exit was submitted and is not on the chain yet.';
    try {
      const { active } = await fetchView(rpc, serviceViews.node(configuration.contract.service, node), stop);
      if (!active) {
        log.info('The node is no longer in the active set.');
        return 'left';
      }
      if (!handedOver) {
        isBegun = true;
        await sender.send({ kind: 'exit', expiredAt: expiryOf({ time, system, configuration }) }, async () => {}, stop);
      }
      handedOver = true;
      await sender.tend(stop);
    } catch (error) {
      sentence = messageOf(error);
    }
    if (stop.aborted) {
      log.warn(isBegun ? 'Stopped. The exit may have been submitted, and then the node still leaves: `verifier status` shows whether it has left.' : 'Stopped; no exit was submitted.');
      return 'stopped';
    }
    if (system.elapsedMs() >= until) {
      log.error(`The node did not leave the active set within ${leaveMs / 1_000} s. ${sentence} \`verifier exit\` tries again.`);
      return 'stayed';
    }
    await system.timers.sleep(pollMs, stop);
  }
}
