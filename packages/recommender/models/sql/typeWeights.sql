-- What one interaction of each type counts: the weight that the training sets, else the default of the word, else 1.
SELECT types.type, coalesce(set_weights.weight, usual_weights.weight, CAST(1 AS DOUBLE)) AS weight
FROM (SELECT DISTINCT type FROM interactions WHERE type IS NOT NULL) AS types
LEFT JOIN given_weights AS set_weights ON set_weights.exact AND set_weights.word = types.type
LEFT JOIN given_weights AS usual_weights ON NOT usual_weights.exact AND usual_weights.word = translate(lower(types.type), ' _-.', '')
