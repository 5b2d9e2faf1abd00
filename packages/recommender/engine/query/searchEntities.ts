import type { ModelReader } from '../modelFile/openModel.ts';
import type { TypeFilter } from './listOptions.ts';

/** What a search looks for, and where it continues. */
export interface EntitySearch {
  /** Text in the name or id, in any case; every entity contains the empty text. */
  text: string;
  types: TypeFilter | null;
  /** Place from which the search continues; 0 for the start. */
  from: number;
  limit: number;
  /** Whether an entity may not be found. */
  hides(node: number): boolean;
}

/** Found nodes, and the place from which the next page continues; null at the end. */
export interface FoundEntities {
  nodes: number[];
  next: number | null;
}

/** Number of nodes compared without a pause: about 2 ms. */
const nodesPerTurn = 8_192;

/**
 * Finds entities by a part of their name or id. The entity with exactly this id comes first, then entities whose name or id begins with the text, then
 * entities that contain the text elsewhere, each in the order of the model. A place in this order is a number: 0 for the exact id, then the nodes of a
 * model once for each of the two groups.
 * @param rest awaited after every 8,192 compared nodes, so that other queries are not delayed
 */
export async function searchEntities(model: ModelReader, search: EntitySearch, rest: () => Promise<void>): Promise<FoundEntities> {
  const { nodes: count } = model.facts;
  const wanted = search.text.toLowerCase();
  const found: FoundEntities = { nodes: [], next: null };
  const exact = model.findNode(search.text);
  for (let place = search.from; place <= 2 * count; place += 1) {
    if (place % nodesPerTurn === nodesPerTurn - 1) await rest();
    const node = place === 0 ? exact : (place - 1) % count;
    if (node < 0 || (place > 0 && node === exact) || !hasType(model, search, node)) continue;
    if ((place > 0 && groupOf(model, node, wanted) !== Math.floor((place - 1) / count)) || search.hides(node)) continue;
    if (found.nodes.length === search.limit) return { ...found, next: place };
    found.nodes.push(node);
  }
  return found;
}

function hasType({ nodeType }: ModelReader, { types }: EntitySearch, node: number): boolean {
  return types === null || types[(nodeType[node] ?? -1) + 1] === 1;
}

/** 0 if name or id begins with the text, 1 if one contains the text elsewhere, -1 if none does. */
function groupOf({ names, ids }: ModelReader, node: number, wanted: string): number {
  const name = names.get(node).toLowerCase().indexOf(wanted);
  if (name === 0) return 0;
  const id = ids.get(node).toLowerCase().indexOf(wanted);
  if (id === 0) return 0;
  return name > 0 || id > 0 ? 1 : -1;
}
