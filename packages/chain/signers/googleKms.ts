import type { GoogleAuth } from 'google-auth-library';
import { parseDerSignature } from './completeSignature.ts';
import { crc32c } from './crc32c.ts';
import { createSigner } from './createSigner.ts';
import { createExchange, type ServiceAnswer } from './exchange.ts';
import type { KeyReference } from './keyReference.ts';
import { addressOfPublicKey, wrongCurve } from './publicKey.ts';
import type { Signer } from './signer.ts';
import { SignerFault, type SignerFaultKind } from './signerFault.ts';
import { withinLimit, type TimeLimit } from './timeLimit.ts';

const endpoint = 'https://cloudkms.googleapis.com';
const algorithm = 'EC_SIGN_SECP256K1_SHA256';

/** Returns the authorization headers of a request. */
export type Authorize = () => Promise<Readonly<Record<string, string>>>;

interface GoogleKmsOptions extends TimeLimit {
  /** Default: google-auth-library. */
  authorize?: Authorize;
  /** Base URL of the service. Default: Google's. */
  endpoint?: string;
}

/**
 * Opens a key version of Google Cloud KMS (algorithm EC_SIGN_SECP256K1_SHA256, protection level HSM). Credentials come from Google's usual
 * sources: the file in GOOGLE_APPLICATION_CREDENTIALS, the login of gcloud, the machine's service account.
 * Protocol: REST reference of Cloud KMS v1 (cryptoKeyVersions.getPublicKey and asymmetricSign).
 * @throws SignerFault; the reason of `signal`
 */
export async function openGoogleKms({ version }: Pick<Extract<KeyReference, { service: 'gcpkms' }>, 'version'>, options: GoogleKmsOptions, signal?: AbortSignal): Promise<Signer> {
  const { name, endpoint: host = endpoint } = options;
  const authorize = options.authorize ?? await loadAuthorization(name);
  const exchange = createExchange(options);
  const ask = async (path: string, body: object | undefined, within?: AbortSignal): Promise<ServiceAnswer['body']> => {
    const headers = await withinLimit(options, within, () => authorize().catch((error: unknown) => { throw tokenFault(error, name); }));
    const answer = await exchange({ method: body === undefined ? 'GET' : 'POST', url: `${host}/v1/${version}${path}`, headers, body }, within);
    if (answer.status !== 200) throw asFault(answer, name);
    return answer.body;
  };
  const key = await ask('/publicKey', undefined, signal);
  if (key['algorithm'] !== algorithm) throw wrongCurve(name, String(key['algorithm']).slice(0, 60));
  return createSigner({
    address: addressOfPublicKey(String(key['pem']), name),
    name,
    async sign({ digest }, within) {
      const asked = { digest: { sha256: Buffer.from(digest).toString('base64') }, digestCrc32c: String(crc32c(digest)) };
      return parseSigned(await ask(':asymmetricSign', asked, within), version, name);
    },
  });
}

/** Verifies the checksums as Google recommends: Google checks the digest in transit, this function checks the signature. */
function parseSigned(answer: ServiceAnswer['body'], version: string, name: string): { r: bigint; s: bigint } {
  const signature = Buffer.from(String(answer['signature']), 'base64');
  const isWhole = answer['verifiedDigestCrc32c'] === true && answer['name'] === version && String(answer['signatureCrc32c']) === String(crc32c(signature));
  if (!isWhole) throw new SignerFault('bad-answer', `${name} answered with checksums or a key name that do not match: the response was corrupted in transit.`);
  return parseDerSignature(signature, name);
}

/** Builds the fault from status and error code only: the answer to a token request may quote the assertion that was sent. */
function tokenFault(error: unknown, name: string): SignerFault {
  const { status, code, response } = error as { status?: number; code?: unknown; response?: { status?: number; data?: { error?: unknown } } };
  const http = response?.status ?? status;
  if (http === undefined) {
    const unreachable = typeof code === 'string' && /^E[A-Z]+/.test(code);
    return unreachable
      ? new SignerFault('unreachable', `${name}: Google returned no access token (${String(code)}). Signing resumes when the network is back.`)
      : new SignerFault('not-configured', `${name}: Google credentials are missing. Set GOOGLE_APPLICATION_CREDENTIALS to a credentials file, or run with a service account.`);
  }
  const said = response?.data?.error;
  const what = `HTTP ${http}${typeof said === 'string' ? `, ${said.slice(0, 60)}` : ''}`;
  if (http === 429) return new SignerFault('throttled', `${name}: Google currently returns no access token (${what}).`);
  if (http >= 500) return new SignerFault('unreachable', `${name}: Google returned no access token (${what}).`);
  return new SignerFault('refused', `${name}: Google rejected the credentials (${what}). Check the credentials file and this machine's clock.`);
}

async function loadAuthorization(name: string): Promise<Authorize> {
  let auth: GoogleAuth;
  try {
    const { GoogleAuth: Auth } = await import('google-auth-library');
    auth = new Auth({ scopes: 'https://www.googleapis.com/auth/cloudkms' });
  } catch (error) {
    throw new SignerFault('not-configured', `${name} needs the package google-auth-library, which was not installed (npm install without --omit=optional).`, error);
  }
  return async () => Object.fromEntries((await auth.getRequestHeaders()).entries());
}

const kinds: Readonly<Record<string, SignerFaultKind>> = {
  NOT_FOUND: 'wrong-key', INVALID_ARGUMENT: 'wrong-key', PERMISSION_DENIED: 'refused', UNAUTHENTICATED: 'refused', FAILED_PRECONDITION: 'refused',
  RESOURCE_EXHAUSTED: 'throttled', UNAVAILABLE: 'unreachable', INTERNAL: 'unreachable', DEADLINE_EXCEEDED: 'timeout',
};

const remedies: Readonly<Partial<Record<SignerFaultKind, string>>> = {
  'wrong-key': `Check the name of the key version; its algorithm must be ${algorithm}.`,
  refused: 'Check that the key version is enabled and that the credentials have the role roles/cloudkms.signerVerifier on the key.',
  throttled: 'The project exceeds its request quota; signing is retried.',
};

function asFault({ status, body }: ServiceAnswer, name: string): SignerFault {
  const { status: said, message } = (typeof body['error'] === 'object' && body['error'] !== null ? body['error'] : {}) as { status?: unknown; message?: unknown };
  const kind = kinds[String(said)] ?? kindOf(status);
  const words = typeof message === 'string' ? `: ${message.slice(0, 200)}` : '';
  return new SignerFault(kind, `${name} returned no signature (HTTP ${status}${words}). ${remedies[kind] ?? 'Signing is retried.'}`);
}

function kindOf(status: number): SignerFaultKind {
  if (status === 429) return 'throttled';
  if (status >= 500) return 'unreachable';
  return status >= 400 ? 'refused' : 'bad-answer';
}
