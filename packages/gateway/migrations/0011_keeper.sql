-- Transactions that say how attestations ended.
alter table gateway_batches drop constraint gateway_batches_purpose_check;
alter table gateway_batches add constraint gateway_batches_purpose_check
  check (purpose in ('operations', 'filler', 'activity', 'randomness', 'conclusion'));

-- What the keeper spends on a day is the sum of its transactions of that day: no counter can differ from them.
create index gateway_batches_keeper on gateway_batches (deployment, created_at) where purpose in ('activity', 'randomness', 'conclusion');

-- The keeper has budgets of its own, by what it does.
alter table gateway_budgets drop constraint gateway_budgets_scope_check, drop constraint gateway_budgets_kind_check;
alter table gateway_budgets
  add constraint gateway_budgets_scope_check check (scope in ('signer', 'license', 'total', 'keeper')),
  add constraint gateway_budgets_kind_check check (
    case when scope = 'keeper' then kind in ('activity', 'randomness', 'conclusion')
    else kind in ('enter', 'exit', 'commission', 'claimer', 'report') end);

-- Attestations that the keeper may have to do something for, by the contract's events; removed once nothing is left to do.
create table gateway_attestations (
  deployment text not null,
  attestation_id bytea not null check (length(attestation_id) = 32),
  -- The request for a random word that announced the attestation.
  request_id numeric not null,
  -- Chain time when the announcement was first seen, seconds since 1970.
  seen_at bigint not null,
  -- Last second of the chain's time for reports; null while no nodes are chosen.
  deadline bigint,
  -- The newest transaction of the keeper for it.
  batch_id text references gateway_batches,
  primary key (deployment, attestation_id)
);
create index gateway_attestations_request on gateway_attestations (deployment, request_id);
create index gateway_attestations_deadline on gateway_attestations (deployment, deadline, seen_at);

-- The last block whose events are in gateway_attestations.
create table gateway_scans (
  deployment text primary key,
  block bigint not null
);
