import type { Operation } from '@vouch/chain/messages/operation';

/** The documented path prefix, and the prefix that the deployed node software uses on mainnet. */
export const prefixes = ['/explorer_alphanet', '/explorer'] as const;

/** Last path segment of each message; the published API omits `node_` in two of the segments. */
export const messagePaths: Readonly<Record<Operation['kind'], string>> = {
  enter: '/send_tx_node_enter',
  exit: '/send_tx_node_exit',
  commission: '/send_tx_modify_commission_rate',
  claimer: '/send_tx_set_reward_claimer',
  report: '/send_tx_node_report_verification',
};

/** The five kinds of messages. */
export const messageKinds = Object.keys(messagePaths) as Operation['kind'][];
