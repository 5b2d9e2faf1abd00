create table organizations (
  id text primary key,
  name text not null unique check (length(name) between 1 and 200),
  created_at timestamptz not null default now()
);

create table keys (
  id uuid primary key,
  organization_id text not null references organizations (id),
  name text not null check (length(name) <= 200),
  -- SHA-256 of the key; the key itself is shown once and kept nowhere.
  hash bytea not null unique check (length(hash) = 32),
  -- First characters of the key, by which a person finds it again; empty for a key from the environment.
  prefix text not null,
  scopes text[] not null check (cardinality(scopes) > 0),
  source text not null default 'made' check (source in ('made', 'environment')),
  expires_at timestamptz,
  revoked_at timestamptz,
  replaced_by uuid references keys (id),
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);

create index keys_organization on keys (organization_id, created_at);
