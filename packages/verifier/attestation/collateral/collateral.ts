import type { Certificate, Crl, Signed } from '../certificates/certificate.ts';
import type { QeIdentity } from './qeIdentity.ts';
import type { TcbInfo } from './tcbInfo.ts';

export interface CollateralFile {
  /** Name within its folder. */
  name: string;
  bytes: Buffer;
}

/** Something that a file holds. Whether it is authentic and in date is asked where it is used. */
export type Held<Item> = Item & { file: string };

/** A JSON document of Intel's with its signature. */
export interface SignedDocument<Body> {
  body: Body;
  /** SHA-256 of the signed text, lower-case hex. */
  fingerprint: string;
  signed: Signed;
}

/** All that a folder of collateral holds, parsed. */
export interface Collateral {
  files: readonly CollateralFile[];
  certificates: readonly Held<Certificate>[];
  crls: readonly Held<Crl>[];
  tcbInfos: readonly Held<SignedDocument<TcbInfo>>[];
  qeIdentities: readonly Held<SignedDocument<QeIdentity>>[];
  /** Files, or parts of them, that could not be read. */
  faults: readonly { file: string; sentence: string }[];
}
