-- Days on which a node's activity was reported, by the transaction that did so.
create table gateway_activity (
  deployment text not null,
  -- Number of the day, as the contract counts them.
  date integer not null,
  node bytea not null,
  batch_id text not null references gateway_batches,
  primary key (deployment, date, node)
);
create index gateway_activity_batch on gateway_activity (batch_id);

alter table gateway_batches drop constraint gateway_batches_purpose_check;
alter table gateway_batches add constraint gateway_batches_purpose_check check (purpose in ('operations', 'filler', 'activity'));

-- Who sent anything on a day.
create index gateway_requests_received on gateway_requests (deployment, received_at);
