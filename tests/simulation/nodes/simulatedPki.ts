import { createHash, createPrivateKey } from 'node:crypto';
import { p256 } from '@noble/curves/nist';
import { testKeyOf, type TestKey } from '@vouch/verifier/attestation/testPki/keys';
import { makeInfo, type TestAttestation } from '@vouch/verifier/attestation/testPki/keepTestPki';
import { makeTestWorld, type TestKeys } from '@vouch/verifier/attestation/testPki/makeTestWorld';
import { buildWorld, type TestWorld } from '@vouch/verifier/attestation/testPki/testWorld';
import type { CollateralFile } from '@vouch/verifier/attestation/collateral/collateral';
import type { TrustRoot } from '@vouch/verifier/attestation/certificates/trustRoot';
import { startMs } from '../kernel/simulation.ts';

/** The platform of all quotes. */
export const fmspc = '00a067110000';
/** Collateral of a world is valid from a day before the date of the world to this time after it. */
export const validAfterMs = 29 * 86_400_000;
export const validBeforeMs = 86_400_000;

/** The PKI of quotes and collateral. Its signatures follow from the signed text alone, so that a run is repeatable. */
export class SimulatedPki {
  readonly trustRoot: TrustRoot;
  readonly #keys: TestKeys = {
    root: keyOf('root'), platformCa: keyOf('platform CA'), pck: keyOf('PCK'), tcbSigning: keyOf('TCB signing'), attestation: keyOf('attestation'), stranger: keyOf('stranger'),
  };
  readonly #certificates;

  constructor() {
    const { certificates, trustRoot } = buildWorld(makeTestWorld(this.#keys, new Date(startMs)));
    this.#certificates = certificates;
    this.trustRoot = trustRoot;
  }

  /** An attestation to announce. @param name at most 64 bytes; another name gives another attestation */
  makeInfo(kind: TestAttestation, name: string): string {
    return makeInfo(this.#worldAt(new Date(startMs)), kind, Buffer.from(name));
  }

  /** Collateral that is issued a day before a date. @param authentic whether the PKI signs it, or a stranger, who says that the platform is revoked */
  makeCollateral(date: Date, authentic: boolean): CollateralFile[] {
    const world = this.#worldAt(date);
    if (!authentic) {
      world.documentSigner = this.#keys.stranger;
      world.pckCrl.signer = this.#keys.stranger;
      world.rootCrl.signer = this.#keys.stranger;
      world.pckCrl.revoked = [world.pck.serial];
    }
    return buildWorld(world).files;
  }

  #worldAt(date: Date): TestWorld {
    const world = makeTestWorld(this.#keys, date);
    for (const name of ['root', 'platformCa', 'pck', 'tcbSigning'] as const) world[name].der = this.#certificates[name];
    return world;
  }
}

/** A key with deterministic signatures (RFC 6979). */
function keyOf(name: string): TestKey {
  const secret = createHash('sha256').update(`simulation: ${name}`).digest();
  const point = Buffer.from(p256.getPublicKey(secret, false)).subarray(1);
  const [d, x, y] = [secret, point.subarray(0, 32), point.subarray(32)].map((bytes) => bytes.toString('base64url')) as [string, string, string];
  return {
    ...testKeyOf(createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d, x, y } })),
    sign(bytes, encoding) {
      const signature = p256.sign(bytes, secret, { prehash: true, lowS: false });
      return Buffer.from(encoding === 'der' ? signature.toDERRawBytes() : signature.toCompactRawBytes());
    },
  };
}
