import { platformSettings } from '@vouch/platform/config/settings';
import { listSettings } from '@vouch/platform/config/loadConfiguration';
import { describe, expect, it } from 'vitest';
import { listSecrets, redact } from './redact.ts';

describe('a text for others', () => {
  it('has no secret, wherever it stands', () => {
    const found = redact({ detail: 'password hunter22 at key', list: ['xhunter22x'], hunter22: 1, number: 5, none: null }, ['hunter22']);
    expect(found).toEqual({ detail: 'password [secret] at key', list: ['x[secret]x'], '[secret]': 1, number: 5, none: null });
  });

  it('has no user, password, query or fragment of a URL', () => {
    expect(redact('GET https://me:pw@media.example/a.mp4?sig=abc#t, then postgres://u:p@h/db', [])).toBe('GET https://[secret]@media.example/a.mp4?[removed] then postgres://[secret]@h/db');
  });

  it('has one mark for a secret that contains another secret', () => {
    expect(redact('secret-one-two', ['secret-one', 'secret-one-two'])).toBe('[secret]');
  });

  it('has no secret of a list or of a deployment', () => {
    const entries = listSettings([platformSettings]);
    const configuration = { s3_secret_access_key: 'first-secret', s3_access_key_id: ['a-list-of', 'secrets'], s3_region: 'not-a-secret', port: 8080 };
    expect(listSecrets(entries, [configuration, { s3_secret_access_key: 'of-a-deployment' }]).toSorted()).toEqual(['a-list-of', 'first-secret', 'of-a-deployment', 'secrets']);
  });
});
