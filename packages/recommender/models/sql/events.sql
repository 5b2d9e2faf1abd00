-- The interactions of these pairs with the weight of their type, their own weight and their rating, as far as they have them.
SELECT
  interactions.source_id,
  interactions.target_id,
  interactions.type,
  interactions.timestamp,
  interactions.sequence * 4294967296 + interactions.row AS position,
  coalesce(type_weights.weight, CAST(1 AS DOUBLE)) AS type_weight,
  CASE WHEN abs(try_cast(get_json_object(interactions.metadata, '$.weight') AS DOUBLE)) <= (SELECT largest_weight FROM parameters)
    THEN try_cast(get_json_object(interactions.metadata, '$.weight') AS DOUBLE) END AS own_weight,
  get_json_object(interactions.metadata, '$.weight') IS NOT NULL AS weighs,
  CASE WHEN abs(try_cast(coalesce(get_json_object(interactions.metadata, '$.rating'), get_json_object(interactions.metadata, '$.stars')) AS DOUBLE)) < 1e12
    THEN try_cast(coalesce(get_json_object(interactions.metadata, '$.rating'), get_json_object(interactions.metadata, '$.stars')) AS DOUBLE) END AS rating,
  coalesce(get_json_object(interactions.metadata, '$.rating'), get_json_object(interactions.metadata, '$.stars')) IS NOT NULL AS rates
FROM interactions
JOIN special_pairs ON special_pairs.source_id = interactions.source_id AND special_pairs.target_id = interactions.target_id
LEFT JOIN type_weights ON type_weights.type = interactions.type
WHERE interactions.timestamp IS NULL OR interactions.timestamp >= (SELECT cutoff FROM parameters)
