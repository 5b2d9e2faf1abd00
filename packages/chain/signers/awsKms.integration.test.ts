import { generateKeyPairSync } from 'node:crypto';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { describe, expect, it } from 'vitest';
import { addressOfKey } from '../keystore/addressOfKey.ts';
import { openAwsKms } from './awsKms.ts';
import { publicKeyOf, signDer } from '../testing/signers/derKeys.ts';
import { checkSignatureV4 } from '../testing/signers/signatureV4.ts';
import { freePort, startService, type Answered, type Asked, type Service } from '../testing/signers/startService.ts';
import type { Signer } from './signer.ts';
import { describeSigner } from '../testing/signers/signers.suite.ts';

// AWS cannot run locally. The server below follows the API reference of KMS and verifies the signature of each request itself.

const key = '4b'.repeat(32);
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', sessionToken: 'a-session-token-of-a-test' };
const keyId = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';

const failWith = (status: number, type: string, message: string): Answered => ({
  status, headers: { 'x-amzn-errortype': type, 'content-type': 'application/x-amz-json-1.1' }, body: { __type: type, message },
});

interface Told {
  publicKey?: Partial<Record<string, string>>;
  sign?: Answered;
}

/** Starts a KMS stand-in with one key; every second signature has a high s. */
function startKms({ publicKey = {}, sign }: Told = {}): Promise<Service> {
  let signatures = 0;
  return startService((asked) => {
    const checked = checkSignatureV4(asked, credentials.secretAccessKey);
    if (checked === null || checked.given !== checked.right) return failWith(403, 'InvalidSignatureException', `canonical headers: ${JSON.stringify(asked.headers)}`);
    const given = JSON.parse(asked.body) as { KeyId: string; Message?: string; MessageType?: string; SigningAlgorithm?: string };
    if (given.KeyId !== keyId) return failWith(400, 'NotFoundException', 'Key is not found');
    if (asked.headers['x-amz-target'] === 'TrentService.GetPublicKey') {
      const der = publicKeyOf(key).export({ format: 'der', type: 'spki' });
      return { body: { KeyId: keyId, KeySpec: 'ECC_SECG_P256K1', KeyUsage: 'SIGN_VERIFY', PublicKey: der.toString('base64'), SigningAlgorithms: ['ECDSA_SHA_256'], ...publicKey } };
    }
    if (sign !== undefined) return sign;
    if (given.MessageType !== 'DIGEST' || given.SigningAlgorithm !== 'ECDSA_SHA_256') return failWith(400, 'ValidationException', 'not what KMS takes');
    const signature = signDer(key, Buffer.from(given.Message ?? '', 'base64'), signatures++ % 2 === 1);
    return { body: { KeyId: keyId, Signature: signature.toString('base64'), SigningAlgorithm: 'ECDSA_SHA_256' } };
  });
}

const open = (endpoint: string, of = keyId, timeoutMs = 30_000, more: object = {}): Promise<Signer> =>
  openAwsKms({ keyId: of }, { name: `AWS KMS key ${of}`, timeoutMs, timers: systemInterfaces.timers }, undefined, { endpoint, credentials, maxAttempts: 1, ...more });

describeSigner('AWS KMS', async () => {
  const services: Service[] = [];
  const failing = (told: Told, timeoutMs?: number) => async (): Promise<Signer> => {
    const service = await startKms(told);
    services.push(service);
    return open(service.url, keyId, timeoutMs);
  };
  const service = await startKms();
  services.push(service);
  return {
    signer: await open(service.url), address: addressOfKey(`0x${key}`)!, secrets: [credentials.secretAccessKey, credentials.sessionToken, key],
    faults: {
      unreachable: async () => open(`http://127.0.0.1:${await freePort()}`),
      timeout: failing({ sign: {} }, 3_000),
      throttled: failing({ sign: failWith(400, 'ThrottlingException', 'Rate exceeded') }),
      refused: failing({ sign: failWith(400, 'AccessDeniedException', 'User is not authorized to perform: kms:Sign') }),
      'wrong-key': failing({ publicKey: { KeySpec: 'ECC_NIST_P256' } }),
      'bad-answer': failing({ sign: { body: { Signature: signDer('4c'.repeat(32), Buffer.alloc(32, 1), false).toString('base64') } } }),
      'not-configured': () => open(service.url, keyId, 30_000, { credentials: () => Promise.reject(Object.assign(new Error('none'), { name: 'CredentialsProviderError' })) }),
    },
    close: async () => void (await Promise.all(services.map((each) => each.close()))),
  };
});

describe('AWS KMS', () => {
  it('is asked in the region of the key with requests that are signed for it', async () => {
    const service = await startKms();
    await (await open(service.url)).signText('x');
    expect(service.asked.map(({ headers }) => headers['x-amz-target'])).toEqual(['TrentService.GetPublicKey', 'TrentService.Sign']);
    for (const asked of service.asked) expect(checkSignatureV4(asked, credentials.secretAccessKey)?.credential).toMatch(/^AKIDEXAMPLE\/\d{8}\/eu-central-1\/kms\/aws4_request$/);
    await service.close();
  });

  it.each([
    ['DisabledException', 400, 'refused'], ['KMSInvalidStateException', 400, 'refused'], ['NotFoundException', 400, 'wrong-key'], ['InvalidKeyUsageException', 400, 'wrong-key'],
    ['KeyUnavailableException', 500, 'unreachable'], ['KMSInternalException', 500, 'unreachable'], ['ExpiredTokenException', 400, 'refused'], ['SomethingNew', 418, 'refused'],
    ['SomethingElse', 502, 'unreachable'],
  ])('that says %s (HTTP %i) is told as %s, without its words', async (type, status, kind) => {
    const service = await startKms({ sign: failWith(status, type, 'words of AWS with a-session-token') });
    const failure = await (await open(service.url)).signText('x').catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ kind, message: expect.stringContaining(type) as string });
    expect((failure as Error).message).not.toContain('words of AWS');
    await service.close();
  });

  it('with a wrong secret is refused, and the headers that AWS quotes are not shown', async () => {
    const service = await startKms();
    const failure = await open(service.url, keyId, 30_000, { credentials: { ...credentials, secretAccessKey: 'another' } }).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ kind: 'refused', message: expect.stringContaining('InvalidSignatureException') as string });
    expect((failure as Error).message).not.toContain(credentials.sessionToken);
    await service.close();
  });

  it('with a key of another curve is refused by the key itself, whatever its spec says', async () => {
    const der = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' });
    const service = await startKms({ publicKey: { PublicKey: der.toString('base64') } });
    await expect(open(service.url)).rejects.toMatchObject({ kind: 'wrong-key', message: expect.stringContaining('prime256v1') as string });
    await service.close();
  });

  it('without a region says which variable to set', async () => {
    await expect(open('http://127.0.0.1:9', 'alias/vouch-relayer', 30_000, { region: () => Promise.reject(new Error('Region is missing')) }))
      .rejects.toMatchObject({ kind: 'not-configured', message: expect.stringContaining('(no region is configured). Set AWS_REGION') as string });
  });

  it('is tried again by the SDK where it is throttled for a moment', async () => {
    let first = true;
    const kms = await startKms();
    const service = await startService(async (asked) => {
      if (first && asked.headers['x-amz-target'] === 'TrentService.Sign') {
        first = false;
        return failWith(400, 'ThrottlingException', 'Rate exceeded');
      }
      return forward(kms.url, asked);
    });
    const signer = await open(service.url, keyId, 60_000, { maxAttempts: 3 });
    await expect(signer.signText('x')).resolves.toMatch(/^0x/);
    expect(service.asked.length).toBe(3);
    await Promise.all([kms.close(), service.close()]);
  });
});

async function forward(url: string, { method, headers, body }: Asked): Promise<Answered> {
  const { request } = await import('node:http');
  return new Promise((resolve) => {
    const sent = request(url, { method, headers }, (answer) => {
      let text = '';
      answer.on('data', (part: Buffer) => { text += part.toString(); });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
    });
    sent.end(body);
  });
}

it('the check of signatures gives the published one for the published request', () => {
  const headers = {
    host: 'iam.amazonaws.com', 'content-type': 'application/x-www-form-urlencoded; charset=utf-8', 'x-amz-date': '20150830T123600Z',
    authorization: 'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  };
  const checked = checkSignatureV4({ method: 'GET', path: '/?Action=ListUsers&Version=2010-05-08', headers, body: '' }, credentials.secretAccessKey);
  expect(checked?.right).toBe(checked?.given);
});
