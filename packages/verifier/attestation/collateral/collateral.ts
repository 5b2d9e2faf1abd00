import type { Certificate, Crl, Signed } from '../certificates/certificate.ts';
import type { QeIdentity } from './qeIdentity.ts';
import type { TcbInfo } from './tcbInfo.ts';

export interface CollateralFile {
  /** File name within the collateral folder. */
  name: string;
  bytes: Buffer;
}

/** An item with the name of its file. Signature and validity are checked when the item is chosen, not when it is parsed. */
export type Held<Item> = Item & { file: string };

/** A JSON document from Intel with its signature. */
export interface SignedDocument<Body> {
  body: Body;
  /** SHA-256 of the signed text, lower-case hex. */
  fingerprint: string;
  signed: Signed;
}

/** Parsed contents of a collateral folder. */
export interface Collateral {
  files: readonly CollateralFile[];
  certificates: readonly Held<Certificate>[];
  crls: readonly Held<Crl>[];
  tcbInfos: readonly Held<SignedDocument<TcbInfo>>[];
  qeIdentities: readonly Held<SignedDocument<QeIdentity>>[];
  /** Files, or items within files, that could not be read. */
  faults: readonly { file: string; sentence: string }[];
}
