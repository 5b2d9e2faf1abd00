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

  it('leaves a secret that contains another one whole until it is replaced', () => {
    expect(redact('secret-one-two', ['secret-one', 'secret-one-two'])).toBe('[secret]');
  });

  it('knows the secrets of lists, of deployments, and of settings with faults', () => {
    const entries = listSettings([platformSettings]);
    const configuration = { s3_secret_access_key: 'first-secret', s3_access_key_id: ['a-list-of', 'secrets'], port: 8080, deployments: [{ s3_secret_access_key: 'of-a-deployment' }] };
    expect(listSecrets(entries, configuration, { VOUCH_ADMIN_KEY: 'too short', VOUCH_PORT: 'not a secret' }).toSorted())
      .toEqual(['a-list-of', 'first-secret', 'of-a-deployment', 'secrets', 'too short']);
  });
});
