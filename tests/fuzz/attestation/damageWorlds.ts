import { makeTestKeys, makeTestWorld } from '@vouch/verifier/attestation/testPki/makeTestWorld';
import { buildWorld, infoOf, judgementOf } from '@vouch/verifier/attestation/testPki/testWorld';
import { verifyAttestation } from '@vouch/verifier/attestation/verifyAttestation';
import { seededRandom, type SeededRandom } from '../../../packages/platform/process/seededRandom.ts';

/** What damaged bytes, with no signature mended, came to. */
export interface Damage {
  /** Files of collateral that could not be read any more. */
  unread: number;
  /** Failures of the verifier itself, and votes that damage must not lead to. Empty, or there is a fault. */
  faults: string[];
}

/** Damages the quote or a file of the collateral, in turns: bits, cut ends, repeated parts, great lengths in the DER. */
export function damageWorlds(firstSeed: number, count: number): Damage {
  const built = buildWorld(makeTestWorld(makeTestKeys(), new Date('2026-03-01T12:00:00Z')));
  const damage: Damage = { unread: 0, faults: [] };
  for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
    const random = seededRandom(seed);
    const ofQuote = seed % 2 === 0;
    const at = random.below(built.files.length);
    const quote = ofQuote ? damaged(random, built.quote) : built.quote;
    const files = built.files.map((file, n) => (!ofQuote && n === at ? { ...file, bytes: damaged(random, file.bytes) } : file));
    const judgement = judgementOf({ ...built, files });
    const { kind, reason, sentence } = verifyAttestation(infoOf(quote), judgement);
    damage.unread += judgement.collateral.faults.length;
    // Damaged collateral must never lead to a vote against a good quote, and a damaged quote never to a vote for it.
    const wrong = ofQuote ? kind === 'valid' && !quote.equals(built.quote) : kind === 'invalid' || kind === 'malicious';
    if (wrong || reason === 'verifier-fault') damage.faults.push(`seed ${seed}, ${ofQuote ? 'quote' : built.files[at]?.name}: ${kind}, ${reason}: ${sentence}`);
  }
  return damage;
}

function damaged(random: SeededRandom, bytes: Buffer): Buffer {
  const at = random.below(bytes.length);
  switch (random.below(5)) {
    case 0: return bytes.subarray(0, at);
    case 1: return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 40))]);
    case 2: return Buffer.concat([bytes.subarray(0, at), Buffer.from([0x84, 0xff, 0xff, 0xff, 0xff]), bytes.subarray(at + 5)]);
    default: {
      const copy = Buffer.from(bytes);
      for (let bits = 1 + random.below(3); bits > 0; bits -= 1) copy[random.below(copy.length)]! ^= 1 << random.below(8);
      return copy;
    }
  }
}
