alter table jobs
  -- The process that runs the job, or ran it last: name of its machine / its number there. Null in rows of older releases.
  add column worker text,
  -- Times in a row, since the last finished stage, that this process is known to have ended by a fault of native code.
  add column crashes integer not null default 0;
