create table jobs (
  id uuid primary key,
  -- Order of arrival; later rows may become visible first, which only matters between unrelated jobs.
  number bigserial not null unique,
  organization_id text not null,
  kind text not null,
  subject text not null,
  input jsonb not null,
  serial_key text,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'error', 'cancelled')),
  stage text,
  progress double precision not null default 0 check (progress between 0 and 1),
  attempt integer not null default 0,
  run_after timestamptz not null default now(),
  lease_until timestamptz,
  -- Made anew by every claim; every write of a worker is conditioned on it.
  fence uuid,
  cancel_requested boolean not null default false,
  -- {stage name: its result}, kept over attempts.
  checkpoints jsonb not null default '{}',
  error jsonb,
  -- When the hook after the end is due (again); null where there is none or it has run.
  finish_after timestamptz,
  finish_attempts integer not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  check ((status = 'running') = (fence is not null and lease_until is not null)),
  check ((status in ('completed', 'error', 'cancelled')) = (completed_at is not null))
);

create index jobs_claim on jobs (kind, number) where status = 'queued';
create index jobs_running on jobs (lease_until) where status = 'running';
create index jobs_serial on jobs (serial_key, number) where serial_key is not null and status in ('queued', 'running');
-- What the claim intends, this enforces: of the jobs with one serial key, one runs.
create unique index jobs_serial_running on jobs (serial_key) where serial_key is not null and status = 'running';
create index jobs_unfinished on jobs (finish_after) where finish_after is not null;
create index jobs_ended on jobs (completed_at) where completed_at is not null;
create index jobs_organization on jobs (organization_id, number);
