#!/usr/bin/env bash
# Builds HashiCorp Vault 1.21.4 from its Go module into the file in the first argument, for tests. The go.mod of Vault replaces modules with
# folders that the published module lacks, so this script uses the published versions of these modules. No published sdk matches the release
# exactly: version 0.21.0 differs in two functions (restoring of keys, a flag of identities), which the three edits below adapt.
set -eu
target="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
export GOFLAGS="-mod=mod"
source="$(go mod download -json github.com/hashicorp/vault@v1.21.4 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
cp -r "$source/." "$folder"
chmod -R u+w "$folder"
cd "$folder"
for module in api api/auth/approle api/auth/kubernetes api/auth/userpass; do
  go mod edit -dropreplace "github.com/hashicorp/vault/$module"
done
go mod edit -replace github.com/hashicorp/vault/sdk=github.com/hashicorp/vault/sdk@v0.21.0
sed -i 's/restoredKeyName, err := b.lm.RestorePolicy(/restoredKeyName, err := keyName, b.lm.RestorePolicy(/' builtin/logical/transit/path_restore.go
sed -i 's/ActivationFunc: iStore.activateDeduplication,/ActivationFunc: func(ctx context.Context, req *logical.Request, _ string) error { return iStore.activateDeduplication(ctx, req) },/' vault/identity_store.go
sed -i 's/idStoreBackend.ActivationFunc(ctx, nil)/idStoreBackend.ActivationFunc(ctx, nil, "")/' vault/logical_system_activation_flags.go
mkdir -p "$(dirname "$target")"
CGO_ENABLED=0 go build -tags minimal -trimpath -ldflags '-s -w' -o "$target" .
