import type { KMSClientConfig } from '@aws-sdk/client-kms';
import { parseDerSignature } from './completeSignature.ts';
import { createSigner } from './createSigner.ts';
import type { KeyReference } from './keyReference.ts';
import { addressOfPublicKey, wrongCurve } from './publicKey.ts';
import type { Signer } from './signer.ts';
import { SignerFault, type SignerFaultKind } from './signerFault.ts';
import { withinLimit, type TimeLimit } from './timeLimit.ts';

type Sdk = typeof import('@aws-sdk/client-kms');

/**
 * Opens a key of AWS KMS (key spec ECC_SECG_P256K1, usage SIGN_VERIFY). Region and credentials come from AWS's usual sources: environment
 * variables, profile files, container and instance roles. The region in an ARN overrides the configured region.
 * @param settings additional settings of the SDK, for tests
 * @throws SignerFault; the reason of `signal`
 */
export async function openAwsKms(
  { keyId }: Pick<Extract<KeyReference, { service: 'awskms' }>, 'keyId'>, limit: TimeLimit, signal?: AbortSignal, settings: KMSClientConfig = {},
): Promise<Signer> {
  const { name, timeoutMs } = limit;
  const sdk = await loadSdk(name);
  const region = /^arn:aws[a-z-]*:kms:([a-z0-9-]+):/.exec(keyId)?.[1];
  const client = new sdk.KMSClient({
    ...(region === undefined ? {} : { region }), requestHandler: { connectionTimeout: timeoutMs / 2, requestTimeout: timeoutMs }, ...settings,
  });
  // The SDK retries on its own; the time limit applies to all its attempts together.
  const send = <Result>(run: (options: { abortSignal: AbortSignal }) => Promise<Result>, within?: AbortSignal): Promise<Result> =>
    withinLimit(limit, within, (abortSignal) => run({ abortSignal }).catch((error: unknown) => { throw asFault(error, name); }));
  const { PublicKey: publicKey, KeySpec: spec, KeyUsage: usage } = await send((options) => client.send(new sdk.GetPublicKeyCommand({ KeyId: keyId }), options), signal);
  if (spec !== 'ECC_SECG_P256K1' || usage !== 'SIGN_VERIFY') throw wrongCurve(name, `${spec ?? 'an unknown spec'} for ${usage ?? 'an unknown usage'}`);
  return createSigner({
    address: addressOfPublicKey(publicKey ?? new Uint8Array(), name),
    name,
    async sign({ digest }, within) {
      const asked = { KeyId: keyId, Message: digest, MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' } as const;
      const { Signature: signature } = await send((options) => client.send(new sdk.SignCommand(asked), options), within);
      return parseDerSignature(signature ?? new Uint8Array(), name);
    },
  });
}

async function loadSdk(name: string): Promise<Sdk> {
  // Without this variable, the SDK writes a warning to standard error if AWS will soon drop this version of Node.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  try {
    return await import('@aws-sdk/client-kms');
  } catch (error) {
    throw new SignerFault('not-configured', `${name} needs the package @aws-sdk/client-kms, which was not installed (npm install without --omit=optional).`, error);
  }
}

const kinds: Readonly<Record<string, SignerFaultKind>> = {
  NotFoundException: 'wrong-key', InvalidKeyUsageException: 'wrong-key', InvalidArnException: 'wrong-key', UnsupportedOperationException: 'wrong-key',
  DisabledException: 'refused', KMSInvalidStateException: 'refused', AccessDeniedException: 'refused', UnrecognizedClientException: 'refused',
  InvalidClientTokenId: 'refused', InvalidSignatureException: 'refused', IncompleteSignatureException: 'refused', ExpiredTokenException: 'refused', ExpiredToken: 'refused',
  SignatureDoesNotMatch: 'refused', MissingAuthenticationToken: 'refused', MissingAuthenticationTokenException: 'refused', OptInRequired: 'refused', RequestExpired: 'refused',
  ThrottlingException: 'throttled', Throttling: 'throttled', LimitExceededException: 'throttled', TooManyRequestsException: 'throttled', RequestLimitExceeded: 'throttled',
  KeyUnavailableException: 'unreachable', DependencyTimeoutException: 'unreachable', KMSInternalException: 'unreachable', ServiceUnavailable: 'unreachable',
  TimeoutError: 'timeout', CredentialsProviderError: 'not-configured', TokenProviderError: 'not-configured',
};

const remedies: Readonly<Record<SignerFaultKind, string>> = {
  'not-configured': 'Set AWS_REGION, and provide credentials by environment variables, a profile or a role.',
  unreachable: 'KMS or the network connection is down; signing resumes when it is back.',
  timeout: 'KMS or the network connection is slow; signing is retried.',
  throttled: 'The account exceeds its request quota; signing is retried.',
  refused: 'Check that the key is enabled, the clock is correct, the credentials are valid, and their policy allows kms:GetPublicKey and kms:Sign on the key.',
  'wrong-key': 'Check the id, region and account of the key; its key spec must be ECC_SECG_P256K1.',
  'bad-answer': 'The response is ignored.',
};

/** Builds the fault from name, code and status only: AWS's message may quote the signed headers, including a session token. */
function asFault(error: unknown, name: string): SignerFault {
  const { name: said = 'unknown', $metadata, code } = error as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  const kind = kinds[said] ?? kindOf(status, error);
  const lacksRegion = isRegionMissing(error);
  const what = [lacksRegion ? 'no region is configured' : said, code ?? null, status === undefined ? null : `HTTP ${status}`].filter((part) => part !== null).join(', ');
  return new SignerFault(kind, `${name} returned no signature (${what}). ${remedies[kind]}`);
}

function isRegionMissing(error: unknown): boolean {
  return /region is missing/i.test(String((error as Error).message));
}

function kindOf(status: number | undefined, error: unknown): SignerFaultKind {
  if (status === undefined) return isRegionMissing(error) ? 'not-configured' : 'unreachable';
  if (status === 429) return 'throttled';
  if (status >= 500) return 'unreachable';
  return status >= 400 ? 'refused' : 'bad-answer';
}
