-- What a blob store knows this database by. Every database has its row from this migration on.
create table installation (
  single boolean primary key default true check (single),
  id uuid not null,
  -- The store's mark carries the id and one of these two, and gets a new one with every collection: of two copies of a
  -- database, only one has the one that the store carries.
  turn uuid not null,
  next_turn uuid not null
);
insert into installation (id, turn, next_turn) values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid());

-- Blobs that no row named at a collection. What has no name a day later either is removed.
create table blob_tombstones (
  name text primary key,
  bytes bigint not null,
  marked_at timestamptz not null
);
create index blob_tombstones_age on blob_tombstones (marked_at);
