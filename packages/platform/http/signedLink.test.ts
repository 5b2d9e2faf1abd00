import { expect, it } from 'vitest';
import { LinkSigner } from './signedLink.ts';

let now = 1_700_000_000_000;
const clock = { now: () => now };
const signer = new LinkSigner(Buffer.alloc(32, 7), clock);

function queryOf(link: string): { expires: string; signature: string } {
  const { searchParams } = new URL(link, 'http://x');
  return { expires: searchParams.get('expires') ?? '', signature: searchParams.get('signature') ?? '' };
}

it('opens the signed path until it expires', () => {
  const query = queryOf(signer.sign('/artifacts/a.mp4', now + 10_000));
  expect(signer.verify('/artifacts/a.mp4', query)).toBe(true);
  now += 10_000;
  expect(signer.verify('/artifacts/a.mp4', query)).toBe(false);
});

it('opens nothing else', () => {
  const query = queryOf(signer.sign('/artifacts/a.mp4', now + 10_000));
  const other = query.signature.startsWith('A') ? 'B' : 'A';
  expect(signer.verify('/artifacts/b.mp4', query)).toBe(false);
  expect(signer.verify('/artifacts/a.mp4', { ...query, expires: String(Number(query.expires) + 1) })).toBe(false);
  expect(signer.verify('/artifacts/a.mp4', { ...query, signature: other + query.signature.slice(1) })).toBe(false);
  expect(new LinkSigner(Buffer.alloc(32, 8), clock).verify('/artifacts/a.mp4', query)).toBe(false);
});

it.each([{}, { expires: '1' }, { expires: ['1', '2'], signature: 'x' }, { expires: '9e9', signature: 'A'.repeat(43) }, { expires: '99999999999', signature: ['a'] }])(
  'refuses what is not a signature: %j', (query) => {
    expect(signer.verify('/a', query)).toBe(false);
  });

it('refuses a short secret and a path with a query', () => {
  expect(() => new LinkSigner(Buffer.alloc(31), clock)).toThrow('32 bytes');
  expect(() => signer.sign('/a?b=1', now)).toThrow('without a query');
});
