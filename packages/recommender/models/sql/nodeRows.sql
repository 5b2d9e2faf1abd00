SELECT
  nodes.number,
  nodes.id,
  latest_entities.type,
  latest_entities.name,
  latest_entities.media_url,
  latest_entities.metadata
FROM nodes
LEFT JOIN latest_entities ON latest_entities.id = nodes.id
ORDER BY nodes.number
