/**
 * Converts a raw ECDSA signature (r and s, 32 bytes each) to DER, which node:crypto and certificates use. All signatures are kept
 * as DER, so that certificates, revocation lists and documents share the type Signed.
 */
export function derSignature(signature: Buffer): Buffer {
  const body = Buffer.concat([derInteger(signature.subarray(0, 32)), derInteger(signature.subarray(32, 64))]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

function derInteger(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const digits = bytes.subarray(start);
  const sign = (digits[0] ?? 0) >= 0x80 ? [0] : [];
  return Buffer.concat([Buffer.from([0x02, digits.length + sign.length, ...sign]), digits]);
}
