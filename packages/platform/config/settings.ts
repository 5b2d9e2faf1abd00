import { Type } from 'typebox';

/**
 * The settings of the platform. Each property is a key of `vouch.toml`. Its environment variable is VOUCH_ and the key in upper case, unless
 * `variable` names another.
 */
export const platformSettings = Type.Object({
  port: Type.Integer({
    minimum: 0, maximum: 65_535, default: 8080, variable: 'PORT',
    description: 'Port to listen on; 0 takes any free one and prints it.',
  }),
  host: Type.String({
    minLength: 1, default: '127.0.0.1', variable: 'HOST',
    description: 'Address to listen on. 0.0.0.0 opens the server to the network.',
  }),
  data: Type.String({
    minLength: 1, default: './data',
    description: 'Folder of the embedded database, the blobs and temporary files.',
  }),
  database_url: Type.Optional(Type.String({
    pattern: '^postgres(ql)?://', range: 'an address that begins with postgres:// or postgresql://', variable: 'DATABASE_URL', secret: true,
    description: 'PostgreSQL 15 or newer to use instead of the embedded one.',
  })),
  admin_key: Type.Optional(Type.String({
    minLength: 24, maxLength: 256, pattern: '^[\\x21-\\x7e]+$', range: 'printable ASCII text without blanks of 24 to 256 characters', secret: true,
    description: 'First admin key. Without it one is made at the first start and written to the file key of the data folder.',
  })),
  allow_private_addresses: Type.Union([
    Type.Boolean(),
    Type.Array(Type.String({ pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+):\\d{1,5}$' }), { maxItems: 1000 }),
  ], {
    default: false, list: 'commas', range: 'true, false, or a list of host:port separated by commas',
    description: 'Which private, local and reserved addresses users may name in callbacks and downloads.',
  }),
  public_url: Type.Optional(Type.String({
    pattern: '^https?://[^/?#\\s]+(/[^?#\\s]*[^/?#\\s])?$', range: 'an http(s) address without a slash, query or fragment at its end',
    description: 'Address under which clients reach the server, for links. Default: the address it listens on.',
  })),
  s3_endpoint: Type.Optional(Type.String({
    pattern: '^https?://\\S+$', range: 'an http(s) address',
    description: 'S3-compatible store for blobs; without a bucket they lie in the data folder.',
  })),
  s3_bucket: Type.Optional(Type.String({
    pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', range: 'a bucket name of 3 to 63 lower-case letters, digits, dots and hyphens',
    description: 'Bucket for blobs; setting it switches from the data folder to S3.',
  })),
  s3_region: Type.String({ minLength: 1, default: 'us-east-1', description: 'Region of the bucket.' }),
  s3_access_key_id: Type.Optional(Type.String({ minLength: 1, secret: true, description: 'Access key of the store.' })),
  s3_secret_access_key: Type.Optional(Type.String({ minLength: 1, secret: true, description: 'Secret of the access key.' })),
  log_level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info', description: 'Lowest level that is logged.',
  }),
  log_format: Type.Enum(['auto', 'json', 'text'], {
    default: 'auto', description: 'Form of the log: JSON, or short lines of text; auto is text on a terminal and JSON otherwise.',
  }),
  rate_limit: Type.Integer({
    minimum: 0, maximum: 100_000_000, default: 60_000,
    description: 'Requests per minute and organization, over all processes; 0 for no limit.',
  }),
  connections_per_address: Type.Integer({
    minimum: 0, maximum: 1_000_000, default: 1024,
    description: 'Connections of one IP address (IPv6: of one /64) that may wait at once without a complete request; over it the one that waits longest is closed. 0 for no bound.',
  }),
  trusted_proxies: Type.Optional(Type.Array(Type.String({ pattern: '^[0-9A-Fa-f:.]+(/\\d{1,3})?$' }), {
    maxItems: 1000, list: 'commas', range: 'a list of IP addresses and ranges such as 10.0.0.0/8, separated by commas',
    description: 'Reverse proxies whose X-Forwarded-For says which IP address a client has, for the bounds that count by IP address. Default: none.',
  })),
  job_lease_seconds: Type.Integer({
    minimum: 2, maximum: 3_600, default: 10,
    description: 'A worker that was not heard of for this long is taken for dead, and its jobs are taken over.',
  }),
});
