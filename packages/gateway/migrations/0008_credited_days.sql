-- A day of a node counts once the contract's own event says so; that a report was sent says nothing yet.
alter table gateway_activity
  -- Null while that is not known: the transaction of `batch_id` is on its way. False: it ended without the event, or the day passed.
  add column credited boolean,
  -- Reports that were sent for the day.
  add column attempts integer not null default 1;

-- Days that others reported, or nobody, have no transaction of ours.
alter table gateway_activity alter column batch_id drop not null;
alter table gateway_activity add constraint gateway_activity_known check (batch_id is not null or credited is not null);

-- What is still to be read from a receipt.
create index gateway_activity_open on gateway_activity (batch_id) where credited is null;
