-- Pairs with an interaction that does not simply count 1. All other pairs count 1, and most data has only these.
SELECT DISTINCT interactions.source_id, interactions.target_id
FROM interactions
LEFT JOIN type_weights ON type_weights.type = interactions.type
WHERE interactions.source_id <> interactions.target_id
  AND (interactions.timestamp IS NULL OR interactions.timestamp >= (SELECT cutoff FROM parameters))
  AND (
    type_weights.weight <> 1
    OR interactions.metadata LIKE '%"weight"%'
    OR interactions.metadata LIKE '%"rating"%'
    OR interactions.metadata LIKE '%"stars"%'
  )
