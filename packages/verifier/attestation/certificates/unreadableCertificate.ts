/** Thrown if bytes are not a certificate or revocation list of Intel's profile. The message is the end of a sentence. */
export class UnreadableCertificate extends Error {
  override readonly name = 'UnreadableCertificate';
}
