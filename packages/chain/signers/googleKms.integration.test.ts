import { generateKeyPairSync, createPublicKey, verify } from 'node:crypto';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { describe, expect, it } from 'vitest';
import { addressOfKey } from '../keystore/addressOfKey.ts';
import { crc32c } from './crc32c.ts';
import { publicKeyOf, signDer } from '../testing/signers/derKeys.ts';
import { freePort, startService, type Answered, type Asked, type Service } from '../testing/signers/startService.ts';
import { openGoogleKms, type Authorize } from './googleKms.ts';
import type { Signer } from './signer.ts';
import { describeSigner } from '../testing/signers/signers.suite.ts';

// Google Cloud cannot run locally. The server below follows the REST reference of Cloud KMS v1, including checksums.

const key = '6e'.repeat(32);
const version = 'projects/p/locations/europe-west3/keyRings/r/cryptoKeys/relayer/cryptoKeyVersions/1';
const token = 'ya29.a-token-of-a-test';

const failWith = (code: number, status: string, message = 'words of Google'): Answered => ({ status: code, body: { error: { code, message, status } } });

interface Told {
  publicKey?: object;
  sign?: Answered;
  /** Fields that override a correct answer to `asymmetricSign`. */
  change?: object;
}

function answerKms({ publicKey = {}, sign, change = {} }: Told): (asked: Asked) => Answered {
  let signatures = 0;
  return ({ method, path, headers, body }) => {
    if (headers['authorization'] !== `Bearer ${token}`) return failWith(401, 'UNAUTHENTICATED');
    if (method === 'GET' && path === `/v1/${version}/publicKey`) {
      const pem = publicKeyOf(key).export({ format: 'pem', type: 'spki' }).toString();
      return { body: { pem, algorithm: 'EC_SIGN_SECP256K1_SHA256', pemCrc32c: String(crc32c(Buffer.from(pem))), name: version, protectionLevel: 'HSM', ...publicKey } };
    }
    if (method !== 'POST' || path !== `/v1/${version}:asymmetricSign`) return failWith(404, 'NOT_FOUND');
    if (sign !== undefined) return sign;
    const { digest, digestCrc32c } = JSON.parse(body) as { digest: { sha256: string }; digestCrc32c: string };
    const bytes = Buffer.from(digest.sha256, 'base64');
    if (String(crc32c(bytes)) !== digestCrc32c) return failWith(400, 'INVALID_ARGUMENT');
    const signature = signDer(key, bytes, signatures++ % 2 === 1);
    return { body: { signature: signature.toString('base64'), signatureCrc32c: String(crc32c(signature)), verifiedDigestCrc32c: true, name: version, protectionLevel: 'HSM', ...change } };
  };
}

const startKms = (told: Told = {}): Promise<Service> => startService(answerKms(told));

const withToken: Authorize = async () => ({ authorization: `Bearer ${token}` });

const open = (endpoint: string, authorize: Authorize = withToken, timeoutMs = 30_000): Promise<Signer> =>
  openGoogleKms({ version }, { name: 'Google Cloud KMS key relayer', timers: systemInterfaces.timers, timeoutMs, authorize, endpoint });

describeSigner('Google Cloud KMS', async () => {
  const services: Service[] = [];
  const failing = (told: Told, timeoutMs?: number) => async (): Promise<Signer> => {
    const service = await startKms(told);
    services.push(service);
    return open(service.url, withToken, timeoutMs);
  };
  const service = await startKms();
  services.push(service);
  return {
    signer: await open(service.url), address: addressOfKey(`0x${key}`)!, secrets: [token, key],
    faults: {
      unreachable: async () => open(`http://127.0.0.1:${await freePort()}`),
      timeout: failing({ sign: {} }, 3_000),
      throttled: failing({ sign: failWith(429, 'RESOURCE_EXHAUSTED') }),
      refused: failing({ sign: failWith(403, 'PERMISSION_DENIED') }),
      'wrong-key': failing({ publicKey: { algorithm: 'EC_SIGN_P256_SHA256' } }),
      'bad-answer': failing({ change: { verifiedDigestCrc32c: false } }),
      'not-configured': () => open(service.url, () => Promise.reject(new Error('Could not load the default credentials.'))),
    },
    close: async () => void (await Promise.all(services.map((each) => each.close()))),
  };
});

describe('Google Cloud KMS', () => {
  it.each<[string, Told, string]>([
    ['a disabled version', { sign: failWith(400, 'FAILED_PRECONDITION') }, 'refused'],
    ['a version that is not there', { sign: failWith(404, 'NOT_FOUND') }, 'wrong-key'],
    ['a service that is down', { sign: failWith(503, 'UNAVAILABLE') }, 'unreachable'],
    ['a gateway that is down', { sign: { status: 502, body: '<html>' } }, 'unreachable'],
    ['a damaged signature', { change: { signatureCrc32c: '1' } }, 'bad-answer'],
    ['the answer for another version', { change: { name: `${version}0` } }, 'bad-answer'],
    ['an answer of more than 64 KB', { change: { more: 'x'.repeat(70_000) } }, 'bad-answer'],
  ])('names %s', async (_what, told, kind) => {
    const service = await startKms(told);
    await expect((await open(service.url)).signText('x')).rejects.toMatchObject({ kind });
    await service.close();
  });

  it('names a token that expired, and one that is never given', async () => {
    const service = await startKms();
    await expect(open(service.url, async () => ({ authorization: 'Bearer old' }))).rejects.toMatchObject({ kind: 'refused' });
    await expect(open(service.url, () => new Promise(() => {}), 200)).rejects.toMatchObject({ kind: 'timeout' });
    await service.close();
  });

  it('takes the file of a service account: a signed assertion for a token, the token for signatures', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const service = await startService((asked) => (asked.path === '/token' ? answerToken(asked, publicKey.export({ format: 'pem', type: 'spki' }).toString()) : answerKms({})(asked)));
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const signer = await open(service.url, await authorizeAs({ type: 'service_account', client_email: 'relayer@p.iam.gserviceaccount.com', private_key: pem, project_id: 'p' }, service.url));
    await expect(signer.signText('x')).resolves.toMatch(/^0x/);
    // A token is valid for one hour, so only one is requested.
    expect(service.asked.filter(({ path }) => path === '/token').length).toBe(1);
    await service.close();
  });

  it('names an account that Google refuses, without the assertion', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const service = await startService(({ body }) => ({ status: 400, body: { error: 'invalid_grant', error_description: `Invalid JWT Signature. ${body}` } }));
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const authorize = await authorizeAs({ type: 'service_account', client_email: 'x@p.iam.gserviceaccount.com', private_key: pem }, service.url);
    const failure = await open(service.url, authorize).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ kind: 'refused', message: expect.stringContaining('HTTP 400, invalid_grant') as string });
    expect((failure as Error).message).not.toMatch(/assertion|eyJ/);
    await service.close();
  });
});

/** Creates authorization with the production library, whose fixed token URL is redirected to 127.0.0.1. */
async function authorizeAs(credentials: object, url: string): Promise<Authorize> {
  const { GoogleAuth } = await import('google-auth-library');
  const transporterOptions = {
    retry: false,
    fetchImplementation: (asked: Parameters<typeof fetch>[0], options?: RequestInit) => {
      expect(String(asked)).toBe('https://oauth2.googleapis.com/token');
      return fetch(`${url}/token`, options);
    },
  };
  const auth = new GoogleAuth({ credentials, clientOptions: { transporterOptions }, scopes: 'https://www.googleapis.com/auth/cloudkms' });
  return async () => Object.fromEntries((await auth.getRequestHeaders()).entries());
}

function answerToken({ body }: Asked, pem: string): Answered {
  const fields = new URLSearchParams(body);
  const [head = '', claims = '', signature = ''] = (fields.get('assertion') ?? '').split('.');
  const signed = verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), createPublicKey(pem), Buffer.from(signature, 'base64url'));
  const { iss, scope, aud } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, string>;
  const right = signed && fields.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' && iss === 'relayer@p.iam.gserviceaccount.com'
    && scope === 'https://www.googleapis.com/auth/cloudkms' && aud === 'https://oauth2.googleapis.com/token';
  return right ? { body: { access_token: token, expires_in: 3_599, token_type: 'Bearer' } } : { status: 400, body: { error: 'invalid_grant' } };
}

it.each([['123456789', 0xe3069283], ['', 0]])('the checksum of %j is the published one', (text, checksum) => {
  expect(crc32c(Buffer.from(text))).toBe(checksum);
});
