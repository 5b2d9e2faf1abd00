-- Sessions of people in the console, and the links that begin one. Each acts with the rights of its key and ends with the key.
create table sessions (
  -- SHA-256 of the secret in the cookie or link; the secret itself is stored nowhere.
  hash bytea primary key check (length(hash) = 32),
  key_id uuid not null references keys (id) on delete cascade,
  kind text not null check (kind in ('link', 'session')),
  expires_at timestamptz not null
);
