-- One row per transaction that carries operations, or that only uses up a nonce (a filler).
create table gateway_batches (
  batch_id text primary key,
  deployment text not null,
  relayer bytea not null,
  -- claimed: its requests are taken and being simulated; it has no nonce, so nothing of it can land.
  -- prepared: nonce and signed bytes are stored; from here on it may land. sent: given to a node at least once.
  -- mined: in a block of the followed chain. confirmed, abandoned: ended; abandoned ones can no longer land.
  state text not null check (state in ('claimed', 'prepared', 'sent', 'mined', 'confirmed', 'abandoned')),
  purpose text not null default 'operations' check (purpose in ('operations', 'filler')),
  nonce bigint,
  to_address bytea,
  calldata bytea,
  gas_limit bigint,
  operations integer not null,
  -- What the operations would have cost had each signer sent its own transaction: the other side of "gas saved".
  gas_alone bigint,
  -- Why it was abandoned.
  reason text,
  created_at timestamptz not null,
  prepared_at timestamptz,
  sent_at timestamptz,
  mined_at timestamptz,
  ended_at timestamptz,
  -- The receipt.
  transaction_hash bytea,
  block_number bigint,
  block_hash bytea,
  block_time timestamptz,
  succeeded boolean,
  gas_used bigint,
  gas_price_wei numeric,
  check (nonce is not null or state in ('claimed', 'abandoned')),
  check (state not in ('mined', 'confirmed') or (transaction_hash is not null and gas_used is not null))
);

-- A nonce belongs to one batch that may land: the database itself refuses a second one.
create unique index gateway_batches_nonce on gateway_batches (deployment, relayer, nonce)
  where state in ('prepared', 'sent', 'mined');
create index gateway_batches_live on gateway_batches (deployment, relayer, nonce)
  where state in ('claimed', 'prepared', 'sent', 'mined');
-- A head below the newest block that carried a transaction of ours comes from a backend that lags.
create index gateway_batches_block on gateway_batches (deployment, relayer, block_number desc) where block_number is not null;
create index gateway_batches_latest on gateway_batches (deployment, created_at desc);

-- Every signed transaction of a batch, all with the batch's nonce; stored before it leaves.
create table gateway_attempts (
  transaction_hash bytea primary key,
  batch_id text not null references gateway_batches,
  nonce bigint not null,
  raw bytea not null,
  max_fee_wei numeric not null,
  priority_fee_wei numeric not null,
  -- An empty transfer that takes the place of a batch whose operations have all expired.
  cancels boolean not null default false,
  -- Number of the newest block when it was signed: its age is counted in blocks.
  head_number bigint not null,
  created_at timestamptz not null,
  -- The last time that it was given to a node.
  broadcast_at timestamptz,
  broadcasts integer not null default 0,
  -- Why the node would not take it the last time, where waiting does not change that.
  refusal text
);
create index gateway_attempts_batch on gateway_attempts (batch_id);

-- Which requests a batch carries and what each of them cost: the shares of a batch sum to its receipt to the wei.
create table gateway_members (
  batch_id text not null references gateway_batches,
  position integer not null,
  request_id text not null,
  gas_used bigint,
  cost_wei numeric,
  -- applied, refused, or null while the batch is not mined.
  outcome text check (outcome in ('applied', 'refused')),
  reason text,
  primary key (batch_id, position)
);
create index gateway_members_request on gateway_members (request_id);

-- What the writer of each relayer key last saw and why it waits: for people, never for decisions.
create table gateway_lines (
  deployment text not null,
  relayer bytea not null,
  state text not null check (state in ('running', 'paused')),
  reason text,
  chain_nonce bigint,
  balance_wei numeric,
  base_fee_wei numeric,
  head_number bigint,
  head_time timestamptz,
  updated_at timestamptz not null,
  primary key (deployment, relayer)
);

-- The queue in its order, what a signer has under way, and the requests of a batch.
create index gateway_requests_queue on gateway_requests (deployment, sequence) where state = 'verified';
create index gateway_requests_deadline on gateway_requests (deployment, deadline) where state in ('verified', 'batched', 'sent');
create index gateway_requests_under_way on gateway_requests (deployment, signer) where state in ('batched', 'sent');
-- Rare operations hold back what their signer sends after them; of its hundreds of reports none has to be looked at for that.
create index gateway_requests_rare on gateway_requests (deployment, signer, sequence)
  where state in ('verified', 'batched', 'sent') and kind <> 'report';
create index gateway_requests_batch on gateway_requests (batch_id) where batch_id is not null;
