import type { Hex } from '@vouch/chain/messages/operation';

/** The transactions of one relayer key on one deployment: they have one sequence of nonces and one writer. */
export interface RelayerLane {
  /** Name by which rows are scoped. */
  deployment: string;
  /** Address of the key, in lower case. */
  relayer: Hex;
}
