import { describe, expect, it } from 'vitest';
import { runVerifier, sharedFolder, writeConfiguration } from '../testing/runVerifier.ts';

const folder = sharedFolder();
const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const keystore = 'node.json';
const conf = (changes: Record<string, string> = {}): string => writeConfiguration(folder, changes);

describe('secrets', () => {
  it('are masked in what would be used', async () => {
    const changes = {
      'wallet.mode': '2', 'wallet.keystore_path': JSON.stringify(keystore), 'wallet.keystore_password': 'very-secret-password',
      'chain.rpc_url': '"https://user:very-secret-user@rpc.example/v3/very-secret-path?k=very-secret-query"', 'alert.url': '"https://alerts.example/very-secret-hook"',
    };
    for (const format of [[], ['-json']]) {
      const { code, output, errors } = await runVerifier(['config', 'check', '-conf', conf(changes), ...format]);
      expect(code).toBe(0);
      expect(output).toContain('https://rpc.example/…');
      expect(output + errors).not.toContain('very-secret');
    }
    const { output, errors } = await runVerifier(['config', 'check', '-conf', conf(), '-private-key', key]);
    expect(output).toContain('unencrypted, from -private-key');
    expect(output + errors).not.toContain(key.slice(0, 16));
  });
});
