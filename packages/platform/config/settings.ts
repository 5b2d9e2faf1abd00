import { Type } from 'typebox';

/**
 * The settings of the platform. Each property is a key of `vouch.toml`. Its environment variable is VOUCH_ and the key in upper case, unless
 * `variable` names another.
 */
export const platformSettings = Type.Object({
  port: Type.Integer({
    minimum: 0, maximum: 65_535, default: 8080, variable: 'PORT',
    description: 'Port to listen on. With 0, the server chooses a free port and prints it.',
  }),
  host: Type.String({
    minLength: 1, default: '127.0.0.1', variable: 'HOST',
    description: 'Host name or IP address to listen on. 0.0.0.0 accepts connections from the network.',
  }),
  data: Type.String({
    minLength: 1, default: './data',
    description: 'Folder of the embedded database, the blobs and temporary files.',
  }),
  database_url: Type.Optional(Type.String({
    pattern: '^postgres(ql)?://', range: 'a URL that begins with postgres:// or postgresql://', variable: 'DATABASE_URL', secret: true,
    description: 'URL of a PostgreSQL server (15 or newer) to use instead of the embedded PostgreSQL.',
  })),
  admin_key: Type.Optional(Type.String({
    minLength: 24, maxLength: 256, pattern: '^[\\x21-\\x7e]+$', range: 'printable ASCII text of 24 to 256 characters without spaces', secret: true,
    description: 'First admin key. If not set, the first start creates a key and writes it to the file `key` in the data folder.',
  })),
  allow_private_addresses: Type.Union([
    Type.Boolean(),
    Type.Array(Type.String({ pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+):\\d{1,5}$' }), { maxItems: 1000 }),
  ], {
    default: false, list: 'commas', range: 'true, false, or a comma-separated list of host:port',
    description: 'Private, local and reserved IP addresses that the URLs of callbacks and downloads may lead to.',
  }),
  public_url: Type.Optional(Type.String({
    pattern: '^https?://[^/?#\\s]+(/[^?#\\s]*[^/?#\\s])?$', range: 'an http(s) URL without a trailing slash, query or fragment',
    description: 'Base URL at which clients reach the server, used in links. Default: the host and port that the server listens on.',
  })),
  s3_endpoint: Type.Optional(Type.String({
    pattern: '^https?://\\S+$', range: 'an http(s) URL',
    description: 'URL of an S3-compatible store for blobs. Used only if VOUCH_S3_BUCKET is set.',
  })),
  s3_bucket: Type.Optional(Type.String({
    pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', range: 'a bucket name of 3 to 63 lower-case letters, digits, dots and hyphens',
    description: 'Bucket for blobs. If set, blobs are stored in S3 instead of the data folder.',
  })),
  s3_region: Type.String({ minLength: 1, default: 'us-east-1', description: 'Region of the bucket.' }),
  s3_access_key_id: Type.Optional(Type.String({ minLength: 1, secret: true, description: 'Access key id of the store.' })),
  s3_secret_access_key: Type.Optional(Type.String({ minLength: 1, secret: true, description: 'Secret access key of the store.' })),
  log_level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info', description: 'Minimum level of logged lines.',
  }),
  log_format: Type.Enum(['auto', 'json', 'text'], {
    default: 'auto', description: 'Format of the log: JSON, or short lines of text. `auto` selects text on a terminal and JSON otherwise.',
  }),
  otlp_endpoint: Type.Optional(Type.String({
    pattern: '^https?://[^/?#\\s]+(/[^?#\\s]*)?$', range: 'an http(s) URL without query or fragment', variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    description: 'Base URL of an OpenTelemetry collector that receives traces by OTLP over HTTP, at its path /v1/traces. Default: none, and no traces are sent.',
  })),
  rate_limit: Type.Integer({
    minimum: 0, maximum: 100_000_000, default: 60_000,
    description: 'Maximum number of requests per minute and organization, over all processes. Each publishable key has its own limit of the same size. 0 means no limit.',
  }),
  connections_per_address: Type.Integer({
    minimum: 0, maximum: 1_000_000, default: 1024,
    description: 'Maximum number of concurrent connections per IP address (IPv6: per /64) that have not sent a complete request. Above the limit, the server closes the connection that has waited longest. 0 means no limit.',
  }),
  trusted_proxies: Type.Optional(Type.Array(Type.String({ pattern: '^[0-9A-Fa-f:.]+(/\\d{1,3})?$' }), {
    maxItems: 1000, list: 'commas', range: 'a comma-separated list of IP addresses and ranges such as 10.0.0.0/8',
    description: 'Reverse proxies whose header X-Forwarded-For is trusted for the IP address of a client, which limits per IP address use. Default: none.',
  })),
  cors_origins: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z][a-z0-9+.-]*://[^/?#*\\s]+$' }), {
    maxItems: 100, list: 'commas', range: 'a comma-separated list of origins such as https://shop.example, without path and without *',
    description: 'Origins of web pages that may query recommendations and record interactions from the browser (CORS). Default: none.',
  })),
  drain_seconds: Type.Integer({
    minimum: 0, maximum: 20, default: 1,
    description: 'Seconds for which a server that shuts down keeps open connections. The server answers one more request of each connection and closes it. No request is lost if this is longer than the pauses of a client between its requests. 0 closes idle connections at once.',
  }),
  job_lease_seconds: Type.Integer({
    minimum: 2, maximum: 3_600, default: 10,
    description: 'Seconds without a heartbeat after which a worker counts as dead and other workers take over its jobs.',
  }),
});
