/** The scopes of keys, with their descriptions in the documentation. */
export const scopes = {
  'data:read': 'List uploaded batches.',
  'data:write': 'Upload and delete batches.',
  'model:read': 'Read the status and metrics of models.',
  'model:train': 'Start and cancel trainings.',
  'recommend:read': 'Query recommendations.',
  'recommend:publish': 'For the code of a web page: query lists of items and sessions without reasons, and record interactions.',
  'video:read': 'Read the status and outputs of video runs.',
  'video:write': 'Start and cancel video runs.',
  admin: 'Everything, including keys, deliveries and metrics.',
} as const;

export type Scope = keyof typeof scopes;

export const scopeNames = Object.keys(scopes) as readonly Scope[];

/** Returns whether a text is the name of a scope. */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}

/** Scope of publishable keys, which are public: everybody who opens the web page can read the key. */
const publishScope: Scope = 'recommend:publish';

/**
 * Returns whether a key may call a route for web pages with the limits of a publishable key only: the key has the scope `recommend:publish`, and not
 * the scope `needed` of the route.
 */
export function isPublishable(held: readonly string[], needed: Scope): boolean {
  return held.includes(publishScope) && !allows(held, needed);
}

/** Returns whether a key with these scopes has the scope `needed`; `admin` includes all scopes. */
export function allows(held: readonly string[], needed: string): boolean {
  return held.includes(needed) || held.includes('admin');
}
