import type { Hex } from '@vouch/chain/messages/operation';

/** The transactions of one relayer key on one deployment, with one nonce sequence and one writer. */
export interface RelayerLane {
  /** Name that scopes the rows. */
  deployment: string;
  /** Ethereum address of the key, in lower case. */
  relayer: Hex;
}
