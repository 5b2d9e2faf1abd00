-- Confirmed and abandoned transactions, counted once each. Metrics and bills of all time read these rows instead of every transaction.
CREATE TABLE gateway_totals (
  deployment text NOT NULL,
  state text NOT NULL CHECK (state IN ('confirmed', 'abandoned')),
  transactions bigint NOT NULL,
  -- Of the confirmed ones.
  gas_used numeric NOT NULL,
  gas_alone numeric NOT NULL,
  PRIMARY KEY (deployment, state)
);

-- True once the transaction is part of gateway_totals; null before. Writers of all releases leave null, and a writer of this release or a later one
-- adds the transaction afterwards.
ALTER TABLE gateway_batches ADD COLUMN totaled boolean;
CREATE INDEX gateway_batches_untotaled ON gateway_batches (deployment, state) INCLUDE (gas_used, gas_alone) WHERE totaled IS NULL;

-- What removed messages cost, by the UTC day on which their transactions were mined.
CREATE TABLE gateway_daily_bills (
  deployment text NOT NULL,
  day date NOT NULL,
  signer bytea NOT NULL,
  kind text NOT NULL CHECK (kind IN ('enter', 'exit', 'commission', 'claimer', 'report')),
  -- Places in transactions; a message that one transaction refused and another executed has two.
  messages bigint NOT NULL,
  gas numeric NOT NULL,
  wei numeric NOT NULL,
  PRIMARY KEY (deployment, day, signer, kind)
);

-- A transaction that an attestation names is kept.
CREATE INDEX gateway_attestations_batch ON gateway_attestations (batch_id) WHERE batch_id IS NOT NULL;
