import { nearestName } from '@vouch/platform/config/nearestName';
import type { ModelReader } from '../engine/modelFile/openModel.ts';
import type { NewEvent } from './event.ts';
import type { EventWarning } from './warnOfEvents.ts';

/** What the warnings need of a model. */
export type KnownRoles = Pick<ModelReader, 'facts' | 'findNode' | 'nodeItem' | 'nodeUser'>;

/** Warns of events that contradict the models which answer at this moment: source and target exchanged, and types of entities that are most likely misspelt. */
export function warnOfRoles(events: readonly NewEvent[], models: readonly KnownRoles[]): EventWarning[] {
  return models.length === 0 ? [] : [...ofExchanged(events, models), ...ofTypes(events, models)];
}

function ofExchanged(events: readonly NewEvent[], models: readonly KnownRoles[]): EventWarning[] {
  const exchanged = events.filter(({ kind, source_id: source, target_id: target }) => kind === 'interaction' && source !== null && isExchanged(source, target, models));
  const [event] = exchanged;
  if (event === undefined) return [];
  return [{
    code: 'exchanged-ids',
    detail: `${exchanged.length} ${exchanged.length === 1 ? 'interaction has' : 'interactions have'} an item of a model as source_id and a user as target_id, such as ${JSON.stringify(event.source_id)} and ${JSON.stringify(event.target_id)}. ` +
      'The source is the one who chooses, and the target is what was chosen: exchange them, and send these events again. What was stored stays until its batch is deleted.',
  }];
}

/** Whether a model has the source as an item only and the target as a user only, and no model has one of them in the given role. */
function isExchanged(source: string, target: string, models: readonly KnownRoles[]): boolean {
  let found = false;
  for (const model of models) {
    const [from, to] = [model.findNode(source), model.findNode(target)];
    if ((from >= 0 && (model.nodeUser[from] ?? -1) >= 0) || (to >= 0 && (model.nodeItem[to] ?? -1) >= 0)) return false;
    found ||= from >= 0 && to >= 0 && (model.nodeItem[from] ?? -1) >= 0 && (model.nodeUser[to] ?? -1) >= 0;
  }
  return found;
}

function ofTypes(events: readonly NewEvent[], models: readonly KnownRoles[]): EventWarning[] {
  const known = [...new Set(models.flatMap(({ facts }) => facts.types))];
  const given = new Set(events.flatMap(({ kind, type }) => (kind === 'entity' && type !== null && !known.includes(type) ? [type] : [])));
  return [...given].flatMap((type): EventWarning[] => {
    const nearest = nearestName(type, known);
    if (nearest === null) return [];
    const detail = `No model has entities of the type ${JSON.stringify(type)}. Did you mean ${JSON.stringify(nearest)}? Types are compared exactly, with case and blanks: lists of ${JSON.stringify(nearest)} leave out entities of another type. To mend it, send these entities again with the right type.`;
    return [{ code: 'similar-types', detail }];
  }).slice(0, 3);
}
