import { tmpdir } from 'node:os';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, listSettings, loadConfiguration, readConfigurationFile, type ConfigurationFault } from './loadConfiguration.ts';
import { platformSettings } from './settings.ts';

const product = Type.Object({
  upload_bytes: Type.Integer({ minimum: 1, default: 1000, description: 'Largest upload.' }),
  verbose: Type.Boolean({ default: false, description: 'Says more.' }),
});

function faultsOf(environment: Record<string, string>, text?: string): readonly ConfigurationFault[] {
  try {
    loadConfiguration([platformSettings, product], { environment, ...(text === undefined ? {} : { file: { path: 'vouch.toml', text } }) });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

describe('loadConfiguration', () => {
  it('gives every default where nothing is set', () => {
    const settings = loadConfiguration([platformSettings, product], { environment: {} });
    expect(settings).toEqual({
      port: 8080, host: '127.0.0.1', data: './data', allow_private_addresses: false, s3_region: 'us-east-1',
      connections_per_address: 1024, drain_seconds: 1, job_lease_seconds: 10, log_format: 'auto', log_level: 'info', rate_limit: 60_000, upload_bytes: 1000, verbose: false,
    });
    const port: number = settings.port;
    const bytes: number = settings.upload_bytes;
    expect(port + bytes).toBe(9080);
  });

  it('lets a variable win over the file, and an empty variable stand for none', () => {
    const file = { path: 'vouch.toml', text: 'port = 9000\nhost = "0.0.0.0"\nverbose = true\n' };
    const settings = loadConfiguration([platformSettings, product], { environment: { PORT: '9100', HOST: '' }, file });
    expect([settings.port, settings.host, settings.verbose]).toEqual([9100, '0.0.0.0', true]);
  });

  it.each([
    ['true', true],
    ['false', false],
    ['127.0.0.1:9000', ['127.0.0.1:9000']],
    [' localhost:1 , [::1]:65535,', ['localhost:1', '[::1]:65535']],
  ])('reads VOUCH_ALLOW_PRIVATE_ADDRESSES=%s', (text, expected) => {
    const { allow_private_addresses } = loadConfiguration([platformSettings], { environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: text } });
    expect(allow_private_addresses).toEqual(expected);
  });

  it('takes the same list from the file as a list or as text', () => {
    for (const written of ['["a:1", "b:2"]', '"a:1,b:2"']) {
      const file = { path: 'vouch.toml', text: `allow_private_addresses = ${written}` };
      expect(loadConfiguration([platformSettings], { environment: {}, file }).allow_private_addresses).toEqual(['a:1', 'b:2']);
    }
  });

  it('reports every fault at once, with name, value, range and source', () => {
    const faults = faultsOf(
      { PORT: '70000', VOUCH_RATE_LIMIT: 'many', VOUCH_PUBLIC_URL: 'http://x/', VOUCH_ALLOW_PRIVATE_ADDRESSES: 'yes' },
      'upload_bytes = 0\nverbose = "perhaps"\n',
    );
    expect(faults).toEqual([
      { name: 'PORT', source: 'environment', detail: 'the value is "70000", but must be an integer from 0 to 65535.' },
      { name: 'VOUCH_ALLOW_PRIVATE_ADDRESSES', source: 'environment', detail: 'the value is "yes", but must be true, false, or a comma-separated list of host:port.' },
      { name: 'VOUCH_PUBLIC_URL', source: 'environment', detail: 'the value is "http://x/", but must be an http(s) URL without a trailing slash, query or fragment.' },
      { name: 'VOUCH_RATE_LIMIT', source: 'environment', detail: 'the value is "many", but must be an integer from 0 to 100000000.' },
      { name: 'upload_bytes', source: 'vouch.toml', detail: 'the value is 0, but must be an integer of 1 or more.' },
      { name: 'verbose', source: 'vouch.toml', detail: 'the value is "perhaps", but must be true or false.' },
    ]);
  });

  it.each(['0x10', '1e3', '', '8080.5', '８０８０'])('does not take %j for a port', (text) => {
    expect(faultsOf({ PORT: text }).map(({ name }) => name)).toEqual(text === '' ? [] : ['PORT']);
  });

  it('never repeats a secret, in the error or its message', () => {
    const secret = 'short-secret';
    try {
      loadConfiguration([platformSettings], {
        environment: { VOUCH_ADMIN_KEY: secret }, file: { path: 'vouch.toml', text: `database_url = "mysql://${secret}"` },
      });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError);
      expect((error as ConfigurationError).faults.map(({ name }) => name)).toEqual(['database_url', 'VOUCH_ADMIN_KEY']);
      expect(JSON.stringify((error as ConfigurationError).faults) + String(error)).not.toContain(secret);
    }
  });

  it('names the nearest known setting for an unknown one, in both places', () => {
    expect(faultsOf({ VOUCH_PUBLIC_ULR: 'http://x', VOUCH_PORT: '80', VOUCH_TEST_DATA: '/data' }, 'prot = 1\nbanana_split = 2\n')).toEqual([
      { name: 'VOUCH_PUBLIC_ULR', source: 'environment', detail: 'the setting does not exist; did you mean VOUCH_PUBLIC_URL?' },
      { name: 'VOUCH_PORT', source: 'environment', detail: 'the setting does not exist; did you mean PORT?' },
      { name: 'prot', source: 'vouch.toml', detail: 'the setting does not exist; did you mean port?' },
      { name: 'banana_split', source: 'vouch.toml', detail: 'the setting does not exist.' },
    ]);
  });

  it('names the line of a TOML fault without showing the lines around it', () => {
    const [fault] = faultsOf({}, 'admin_key = "very-secret-text-of-some-length"\nport = = 1\n');
    expect(fault?.source).toBe('vouch.toml, line 2, column 8');
    expect(fault?.detail).not.toContain('secret-text');
  });

  it('lists each setting once with its variable, range, default and a sentence', () => {
    const entries = listSettings([platformSettings, product]);
    expect(entries.find(({ key }) => key === 'port')).toEqual({
      key: 'port', variable: 'PORT', range: 'an integer from 0 to 65535', default: '8080',
      sentence: 'Port to listen on. With 0, the server chooses a free port and prints it.', secret: false,
    });
    expect(entries.filter(({ sentence }) => sentence === '')).toEqual([]);
    expect(entries.filter(({ secret }) => secret).map(({ variable }) => variable))
      .toEqual(['DATABASE_URL', 'VOUCH_ADMIN_KEY', 'VOUCH_S3_ACCESS_KEY_ID', 'VOUCH_S3_SECRET_ACCESS_KEY']);
    expect(() => listSettings([product, product])).toThrow('two schemas define the setting');
  });
});

it('a configuration file that is no file is a fault of the configuration', () => {
  expect(() => readConfigurationFile(tmpdir())).toThrow(ConfigurationError);
  expect(() => readConfigurationFile(tmpdir())).toThrow(/cannot be read \(EISDIR\); it must be a text file/);
});
