#!/usr/bin/env bash
# Builds the server of HashiCorp Vault 1.21.4 from its Go module into the file that is named, for tests. Its go.mod replaces modules by
# folders that the published module does not hold; their published versions take the place. No published sdk is exactly the one of that
# release: version 0.21.0 differs in the two functions that the three edits below adapt, of the restoring of keys and of a flag of identities.
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
