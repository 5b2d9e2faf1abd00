import { describe, expect, it } from 'vitest';
import { tcbPolicies } from './policy.ts';
import { parseAllowList, parseTcbPolicy, writePolicy } from './parsePolicy.ts';
import { convergeStatus, tcbStatuses } from './tcbStatus.ts';

describe('tcb_policy', () => {
  it('is a name or a list, standard unless told', () => {
    expect(parseTcbPolicy(undefined)).toEqual({ value: tcbPolicies.standard });
    expect(parseTcbPolicy('strict')).toEqual({ value: ['UpToDate'] });
    expect(parseTcbPolicy(['UpToDate', 'OutOfDate'])).toEqual({ value: ['UpToDate', 'OutOfDate'] });
  });

  it.each([['a name that is none', 'easy'], ['an empty list', []], ['a number', 3], ['revoked platforms', ['UpToDate', 'Revoked']], ['a status that is none', ['uptodate']]])('may not be %s', (_name, value) => {
    expect(parseTcbPolicy(value)).toHaveProperty('fault', expect.stringContaining('SWHardeningNeeded'));
  });
});

describe('allow_list', () => {
  it('accepts every enclave when it is left out', () => {
    expect(parseAllowList(undefined)).toEqual({ value: null });
  });

  it('takes measurements in any case, with or without 0x, and is written as it is read', () => {
    const read = parseAllowList([{ mr_enclave: `0x${'AB'.repeat(32)}` }, { mr_signer: 'cd'.repeat(32), product_id: 1, security_version_min: 2 }]);
    if ('fault' in read) throw new Error(read.fault);
    expect(read.value).toEqual([{ mrEnclave: 'ab'.repeat(32) }, { mrSigner: 'cd'.repeat(32), productId: 1, securityVersionMin: 2 }]);
    expect(parseAllowList(JSON.parse(JSON.stringify(writePolicy({ acceptedStatuses: ['UpToDate'], allowList: read.value }).allow_list)))).toEqual(read);
  });

  const wrong: [string, unknown][] = [
    ['an empty list', []], ['one enclave without a list', { mr_enclave: 'ab'.repeat(32) }], ['an entry without measurement', [{ product_id: 1 }]], ['a short measurement', [{ mr_enclave: 'ab' }]],
    ['a measurement that YAML took for a number', [{ mr_enclave: 1.5e70 }]], ['an unknown field', [{ mr_enclave: 'ab'.repeat(32), name: 'x' }]], ['a version of 70000', [{ mr_signer: 'ab'.repeat(32), security_version_min: 70_000 }]],
  ];
  it.each(wrong)('may not be %s', (_name, value) => {
    expect(parseAllowList(value)).toHaveProperty('fault');
  });
});

describe('the status of platform and quoting enclave together', () => {
  it('is never better than either', () => {
    const rank = (status: (typeof tcbStatuses)[number]): number => tcbStatuses.indexOf(status);
    for (const platform of tcbStatuses) {
      for (const quotingEnclave of tcbStatuses) expect(rank(convergeStatus(platform, quotingEnclave))).toBeGreaterThanOrEqual(Math.max(rank(platform), rank(quotingEnclave)));
    }
  });

  it('keeps the need of configuration when the quoting enclave is outdated', () => {
    expect(convergeStatus('ConfigurationNeeded', 'OutOfDate')).toBe('OutOfDateConfigurationNeeded');
    expect(convergeStatus('UpToDate', 'OutOfDate')).toBe('OutOfDate');
  });
});
