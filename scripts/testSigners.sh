#!/usr/bin/env bash
# Runs the tests of relayer keys on a real HashiCorp Vault on loopback: the program in VOUCH_TEST_VAULT, `vault` from PATH, or a build from
# the Go module. Without any of these, the script prints a line and skips the tests.
# VOUCH_TEST_WEB3SIGNER: a reference such as web3signer:http://127.0.0.1:9000#0x…, to a web3signer that signs for chain 31337.
set -eu
cd "$(dirname "$0")/.."
if [ -z "${VOUCH_TEST_VAULT:-}" ]; then
  if command -v vault > /dev/null; then
    VOUCH_TEST_VAULT="$(command -v vault)"
  elif command -v go > /dev/null; then
    VOUCH_TEST_VAULT="${XDG_CACHE_HOME:-$HOME/.cache}/vouch-test/vault-1.21.4"
    [ -x "$VOUCH_TEST_VAULT" ] || bash scripts/buildVault.sh "$VOUCH_TEST_VAULT"
  fi
  [ -n "${VOUCH_TEST_VAULT:-}" ] && export VOUCH_TEST_VAULT
fi
npx vitest run --project integration packages/chain/signers packages/gateway/sending/vaultKey.integration.test.ts
