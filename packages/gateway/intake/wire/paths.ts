import type { Operation } from '@vouch/chain/messages/operation';

/** The documented prefix, and the one that the program in the field has for the main network. */
export const prefixes = ['/explorer_alphanet', '/explorer'] as const;

/** Last part of the path of each message; the one without `node_` is as published. */
export const messagePaths: Readonly<Record<Operation['kind'], string>> = {
  enter: '/send_tx_node_enter',
  exit: '/send_tx_node_exit',
  commission: '/send_tx_modify_commission_rate',
  claimer: '/send_tx_set_reward_claimer',
  report: '/send_tx_node_report_verification',
};

export const messageKinds = Object.keys(messagePaths) as Operation['kind'][];
