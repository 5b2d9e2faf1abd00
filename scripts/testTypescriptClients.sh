#!/usr/bin/env bash
# Generates TypeScript clients from docs/openapi.json with openapi-typescript and with @hey-api/openapi-ts, compiles one flow with each under strict
# TypeScript, and runs the flows against a server with a local chain. The generators need TypeScript 5, which the repository does not have, so npm installs
# them into a cache folder (60 MB).
set -eu
cd "$(dirname "$0")/.."
checkout="$PWD"
folder="${TMPDIR:-/tmp}/vouch-typescript-clients-1"
packages='openapi-typescript@7.13.0 openapi-fetch@0.17.0 @hey-api/openapi-ts@0.95.0 typescript@5.9.3 @types/node@20.19.43'
if [ ! -f "$folder/complete" ]; then
  mkdir -p "$folder"
  echo '{"private":true,"type":"module"}' >"$folder/package.json"
  # shellcheck disable=SC2086
  if ! npm install --loglevel=error --no-fund --no-audit --ignore-scripts --prefix "$folder" $packages; then
    echo 'skipped: npm cannot install the generators of clients' >&2
    exit 0
  fi
  touch "$folder/complete"
fi
cp docs/openapi.json tests/clients/flows/*.ts "$folder/"
cd "$folder"
rm -rf hey
# A field with a default may be absent from a request.
npx openapi-typescript openapi.json --default-non-nullable=false -o schema.d.ts
npx openapi-ts -i openapi.json -o hey
cat >tsconfig.json <<'END'
{
  "compilerOptions": {
    "target": "es2022", "lib": ["es2023", "dom"], "types": ["node"], "module": "esnext", "moduleResolution": "bundler",
    "strict": true, "noUncheckedIndexedAccess": true, "skipLibCheck": false, "noEmit": true
  },
  "include": ["hey", "*.ts"]
}
END
npx tsc -p .
echo 'Both clients compile under strict TypeScript.'
cd "$checkout"
run() { node --import tsx tests/clients/withServer.ts node --import tsx "$@"; }
run "$folder/openapiFetch.ts"
run "$folder/heyApi.ts"
