import type { Scope } from './scopes.ts';

/** The holder of a key: its organization, and the scopes of the key. */
export interface Identity {
  keyId: string;
  organizationId: string;
  scopes: readonly Scope[];
}
