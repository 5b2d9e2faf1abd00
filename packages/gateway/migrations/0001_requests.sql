-- One row per accepted message. It is written before the answer; what becomes of it stands here until its end and after.
CREATE TABLE gateway_requests (
  -- Unguessable: whoever has it may read the record.
  request_id text PRIMARY KEY,
  -- Order of acceptance, along which the messages of one signer are carried out; a message that is opened again gets a new place.
  sequence bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  -- `<chain id>:<contract>:<first 16 hex digits of the genesis hash>`: another chain never continues the work of this one.
  deployment text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('enter', 'exit', 'commission', 'claimer', 'report')),
  -- The fields of the message, numbers as decimal strings.
  operation jsonb NOT NULL,
  digest bytea NOT NULL CHECK (length(digest) = 32),
  signer bytea NOT NULL CHECK (length(signer) = 20),
  -- r || s || v, v is 27 or 28.
  signature bytea NOT NULL CHECK (length(signature) = 65),
  -- {origin, user_agent, app_id, dialect}
  client jsonb NOT NULL,
  -- After this chain time it cannot take effect.
  deadline timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('verified', 'batched', 'sent', 'mined', 'confirmed', 'failed', 'expired')),
  batch_id text,
  -- Why it failed or expired, or why it was confirmed without a transaction.
  reason_code text,
  reason text,
  received_at timestamptz NOT NULL,
  verified_at timestamptz NOT NULL,
  simulated_at timestamptz,
  batched_at timestamptz,
  sent_at timestamptz,
  mined_at timestamptz,
  ended_at timestamptz,
  -- The share of this message in its transaction; shares sum to the receipt, to the unit.
  gas_used bigint,
  cost_wei numeric,
  -- The same message is accepted once, whatever the bytes of its signature.
  UNIQUE (deployment, digest, signer)
);

-- What is under way for a signer, in order: what it will have changed is judged before it lands.
CREATE INDEX gateway_requests_open ON gateway_requests (deployment, signer, sequence) WHERE state IN ('verified', 'batched', 'sent', 'mined');
-- Quotas count the messages of a signer since the hour began.
CREATE INDEX gateway_requests_quota ON gateway_requests (deployment, signer, received_at);
