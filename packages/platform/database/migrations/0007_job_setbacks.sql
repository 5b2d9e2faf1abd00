-- `attempt` counts every beginning of a job. Only `failures` counts against it.
alter table jobs
  -- Attempts that ended by what the job itself did.
  add column failures integer not null default 0,
  -- Attempts in a row, since the last finished stage, under which the worker, its machine or the database went away.
  add column interruptions integer not null default 0,
  -- When the job last got further: began, finished a stage, or reported more progress than before.
  add column progressed_at timestamptz;

-- Jobs that older releases began have no setbacks yet, and got further at some time that nobody noted.
update jobs set progressed_at = now() where status = 'running';
