#!/usr/bin/env bash
# The shop with curl: upload, training, a session, stock, reasons, an experiment. Needs URL and KEY; FOLDER has products.csv and sales.csv of writeCsv.ts.
set -euo pipefail
: "${URL:?is not set, for example http://127.0.0.1:8080}" "${KEY:?is not set: the API key, which vouch serve writes to data/key}"
folder="${1:?Usage: URL=… KEY=… bash examples/shop/shop.sh FOLDER}"
api="$URL/v1/recommender"

ask() { # name, arguments of curl…; prints the answer, and fails on an error
  echo "── $1" >&2
  curl --silent --show-error --fail-with-body -H "apikey: $KEY" "${@:2}"
  echo
}
json() { ask "$1" -H 'content-type: application/json' "${@:2}"; }

ask 'Upload the catalogue and the sales' -F tags=shop -F "files=@$folder/products.csv" -F "files=@$folder/sales.csv" "$api/data_batch"

json 'Train the model' -d '{"model_id": "shop", "data_tags": "shop"}' "$api/train"
until grep -q '"status":"completed"' <<<"${status:=}"; do
  status="$(ask 'Wait for the training' "$api/shop/status")"
  if grep -qE '"status":"(error|cancelled)"' <<<"$status"; then echo "$status" >&2; exit 1; fi
  sleep 1
done

json 'A new visitor gets trending products' -d '{"model_id": "shop", "max_recommendations": 3, "explain": true}' "$api/recommend"
json 'The visitor looks at boots' -d '{"tags": "shop", "interactions": [{"type": "view", "source_id": "visitor-curl", "target_id": "boots-red"}]}' "$api/interactions"
json 'The next list is for the session, below 200 euros' "$api/recommend" -d '{
  "model_id": "shop", "history": [{"id": "boots-red", "type": "view"}], "filter": "item.price < 200", "max_recommendations": 3, "explain": true}'
ask 'Products related to the boots, with reasons' -G "$api/related_items" -d model_id=shop -d entity_id=boots-red -d max_recommendations=3 -d output_format=json

json 'The yellow boots are sold out' -d '{"tags": "shop", "entities": [{"id": "boots-yellow", "type": "product", "name": "Sunrise boots", "available": false}]}' "$api/entities"
ask 'Why are the yellow boots not in the list?' -G "$api/explain" -d model_id=shop -d source_id=boots-red -d target_id=boots-yellow
json 'The yellow boots are back in stock' -d '{"tags": "shop", "entities": [{"id": "boots-yellow", "type": "product", "name": "Sunrise boots", "metadata": {"department": "boots", "use": "hiking", "color": "yellow", "maker": "Cedar", "price": 161}, "available": true}]}' "$api/entities"

json 'Do cheap products first sell better? An experiment gives them to half of the visitors' -X PUT "$api/experiments/cheap-first" -d '{
  "arms": {"a": {"model_id": "shop"}, "b": {"model_id": "shop", "boost": "item.price < 100 ? 2.0 : 1.0"}}, "outcome": ["purchase"], "guardrails": [{"metric": "empty_lists"}]}'
json 'The experiment decides what this visitor gets' -d '{"model_id": "cheap-first", "entity_id": "visitor-curl", "unknown": "trending", "max_recommendations": 3}' "$api/recommend"
ask 'The results, which may be read at any time' "$api/experiments/cheap-first/results"
