-- What an accepted message holds of the budgets: the UTC day and the license that it is charged to, and the gas that was set aside
-- for it. Null for messages of the time before budgets, and where nothing has to be done.
alter table gateway_requests
  add column budget_day date,
  add column budget_license text,
  add column reserved_gas bigint;

-- Gas per UTC day, counted: reserved while messages are under way, spent by the receipts of confirmed transactions.
create table gateway_spending (
  deployment text not null,
  day date not null,
  scope text not null check (scope in ('signer', 'license', 'total')),
  -- The signer's address in lower case, the number of the license, or nothing for the total.
  subject text not null,
  kind text not null check (kind in ('enter', 'exit', 'commission', 'claimer', 'report')),
  reserved_gas bigint not null default 0,
  spent_gas bigint not null default 0,
  primary key (deployment, day, scope, subject, kind)
) with (fillfactor = 50);

-- Budgets that differ from the defaults.
create table gateway_budgets (
  -- `<chain id>:<contract>`
  service text not null,
  scope text not null check (scope in ('signer', 'license', 'total')),
  -- As in gateway_spending; nothing for every signer or license that has no budget of its own.
  subject text not null,
  kind text not null check (kind in ('enter', 'exit', 'commission', 'claimer', 'report')),
  gas_per_day bigint not null check (gas_per_day >= 0),
  changed_at timestamptz not null,
  primary key (service, scope, subject, kind)
);

-- Signers that are refused, and, where there is any, the only ones that are served.
create table gateway_listed_signers (
  service text not null,
  list text not null check (list in ('allow', 'deny')),
  -- Lower case.
  signer text not null,
  note text,
  changed_at timestamptz not null,
  primary key (service, list, signer)
);
