const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'is a name without an address',
  EAI_AGAIN: 'could not be looked up: the name service did not answer',
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  ETIMEDOUT: 'did not accept the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept the connection in time',
  UND_ERR_SOCKET: 'closed the connection before the answer was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'closed the connection before the answer was complete',
};

/** The code of what a connection failed with: of the system, of TLS or of undici. Empty where there is none. */
export function connectionCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Whether the certificate of the other side is what failed; TLS has some thirty codes for that. */
export function isCertificateFault(code: string): boolean {
  return /CERT|SIGNED|TLS|SSL|ALTNAME/.test(code);
}

/** The end of a sentence that begins with the host; one that is not foreseen shows its code. */
export function describeConnectionFault(code: string): string {
  if (isCertificateFault(code)) return `has no valid certificate (${code})`;
  return sentences[code] ?? `could not be reached (${code === '' ? 'unknown failure' : code})`;
}
