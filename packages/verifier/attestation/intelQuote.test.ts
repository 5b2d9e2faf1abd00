import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { intelTrustRoot } from './certificates/trustRoot.ts';
import { checkCollateral } from './collateral/checkCollateral.ts';
import { readCollateralFolder } from './collateral/readCollateralFolder.ts';
import { defaultPolicy } from './policy/policy.ts';
import { infoOf } from './testPki/testWorld.ts';
import { decodeInfo } from './decodeInfo.ts';
import { verifyAttestation } from './verifyAttestation.ts';

const folder = fileURLToPath(new URL('fixtures/intelQuote/collateral', import.meta.url));
const info = readFileSync(new URL('fixtures/intelQuote/info.txt', import.meta.url), 'utf8').trim();
const issued = new Date('2025-06-19T10:56:11Z');

describe('a quote of a real processor', async () => {
  const collateral = await readCollateralFolder(folder);
  const judge = (date: Date, text = info) => verifyAttestation(text, { collateral, policy: defaultPolicy, trustRoot: intelTrustRoot, date });

  it('is valid under Intel’s root at the date of its collateral', () => {
    const outcome = judge(issued);
    expect(outcome).toMatchObject({ kind: 'valid', attestationId: '0x620bfcdd6fd782c4cd030fde52aac2ebf76caeffe0ee461f7874d1c71c8cea0f' });
    expect(outcome.sentence).toContain('ConfigurationAndSWHardeningNeeded (INTEL-SA-00289, INTEL-SA-00615)');
  });

  it('is not voted on when that collateral has expired, nor before it was issued', () => {
    expect(judge(new Date('2025-07-20T00:00:00Z'))).toMatchObject({ kind: 'no-vote', reason: 'collateral-stale' });
    expect(judge(new Date(issued.getTime() - 1))).toMatchObject({ kind: 'no-vote', reason: 'collateral-stale' });
  });

  it('is never valid with any one bit changed', () => {
    const decoded = decodeInfo(info);
    if ('fault' in decoded) throw new Error(decoded.sentence);
    // The last 4 bytes follow the last certificate and are not covered by a signature.
    for (let bit = 0; bit < (decoded.quote.length - 4) * 8; bit += 211) {
      const quote = Buffer.from(decoded.quote);
      quote[bit >> 3]! ^= 1 << (bit & 7);
      expect(judge(issued, infoOf(quote)).result, `bit ${bit}`).not.toBe(0);
    }
  });

  it('has collateral of which the check tells how long it lasts', async () => {
    expect(await checkCollateral(folder, issued, intelTrustRoot)).toMatchObject({ complete: true, validUntil: '2025-07-19T10:01:18.000Z', platforms: ['00a067110000'] });
    const later = await checkCollateral(folder, new Date('2025-08-01T00:00:00Z'), intelTrustRoot);
    expect(later.complete).toBe(false);
    expect(later.items.map(({ state }) => state)).toEqual(['good', 'stale', 'stale', 'stale']);
  });
});
