-- Work that one process does at a time. The holder renews its lease while the work makes progress; every write of the work is conditioned
-- on the fence. Times are those of the database alone: the clocks of the processes are never compared.
create table leases (
  name text primary key,
  -- Made anew by every taking; null before the first, and once its holder gave it back.
  fence uuid,
  lease_until timestamptz,
  -- Name of the machine / number of the process, of the last holder.
  holder text,
  taken_at timestamptz,
  renewed_at timestamptz,
  -- Times that the lease was taken.
  takings bigint not null default 0,
  -- The last eight times that a holder lost it without giving it back.
  lost_at timestamptz[] not null default '{}',
  check (fence is null or lease_until is not null)
);
