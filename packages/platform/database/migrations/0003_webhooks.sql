create table webhook_secrets (
  organization_id text primary key,
  -- Kept readable: both sides need the secret itself to compute an HMAC.
  secret text not null,
  -- Signs as well until previous_until, so that receivers can change over.
  previous_secret text,
  previous_until timestamptz,
  created_at timestamptz not null,
  check ((previous_secret is null) = (previous_until is null))
);

create table webhook_deliveries (
  -- Sent as webhook-id, the same for every attempt, so that a receiver can drop repetitions.
  id uuid primary key,
  number bigserial not null unique,
  organization_id text not null,
  url text not null,
  -- Host and port of the url; one host has a bound of its own.
  host text not null,
  type text not null,
  -- The very text that is signed and sent.
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'given_up')),
  attempts integer not null default 0,
  -- Attempts since the delivery was made or asked for again; gives the backoff.
  failures integer not null default 0,
  next_attempt_at timestamptz,
  give_up_at timestamptz not null,
  lease_until timestamptz,
  -- Made anew by every claim; the outcome of an attempt is written only under it.
  fence uuid,
  last_error text,
  created_at timestamptz not null,
  ended_at timestamptz,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check ((status = 'pending') = (ended_at is null)),
  check ((fence is null) = (lease_until is null))
);

create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where status = 'pending';
create index webhook_deliveries_organization on webhook_deliveries (organization_id, number);
create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null;

create table webhook_attempts (
  delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
  number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- HTTP status of the answer; null where none came.
  answer_status integer,
  -- First KB of the answer.
  answer_body text,
  -- Null where the attempt succeeded.
  error text,
  primary key (delivery_id, number)
);
