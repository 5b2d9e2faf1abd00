-- Answers of POST requests that carried an Idempotency-Key, kept for 24 hours.
create table idempotency_keys (
  organization_id text not null,
  key text not null,
  -- SHA-256 of what was asked, so that one key cannot stand for two requests.
  request_hash text not null,
  -- Null only inside the transaction of the effect.
  status integer,
  headers jsonb,
  body text,
  created_at timestamptz not null,
  primary key (organization_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- One row per organization, written when a process leases a share of a window, not per request.
create table rate_limit_windows (
  organization_id text primary key,
  -- Minutes since the Unix epoch.
  window_number bigint not null,
  granted integer not null,
  -- What the last lease got of it, to be returned by the statement that wrote it.
  last_share integer not null
);
