-- What an operator wants done with a transaction that waits. Only the writer of its key carries it out, and answers here.
create table gateway_orders (
  order_id text primary key,
  batch_id text not null references gateway_batches,
  kind text not null check (kind in ('speed_up', 'cancel')),
  -- What the replacement is to offer for a unit of gas; null: the least that nodes take.
  max_fee_wei numeric,
  -- waiting: not carried out yet. sent: the replacement is stored. refused: nothing was done.
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'refused')),
  -- Of the replacement.
  transaction_hash bytea,
  -- Why it was refused.
  reason text,
  created_at timestamptz not null,
  answered_at timestamptz,
  check ((state = 'sent') = (transaction_hash is not null)),
  check ((state = 'refused') = (reason is not null))
);
-- One at a time for a transaction: a second order would replace what the first has just offered.
create unique index gateway_orders_waiting on gateway_orders (batch_id) where state = 'waiting';
create index gateway_orders_batch on gateway_orders (batch_id, created_at);
