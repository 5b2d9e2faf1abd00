-- The one secret of signed links. Kept readable: every process of a deployment computes HMACs with it.
create table link_secret (
  single boolean primary key default true check (single),
  -- Base64.
  secret text not null
);
