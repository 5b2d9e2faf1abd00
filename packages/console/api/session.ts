import { signal } from '@preact/signals';
import { call, endedBecause } from './call.ts';

/** The session as the server describes it. */
export interface Session {
  organization: string;
  key: string;
  scopes: readonly string[];
  version: string;
}

/** The current session; null without one, undefined until the server has answered. */
export const session = signal<Session | null | undefined>(undefined);

const path = '/console/session';

/** Whether the session may use a route with this scope. */
export function may(scope: string): boolean {
  const scopes = session.value?.scopes ?? [];
  return scopes.includes(scope) || scopes.includes('admin');
}

/** Finds the session of the cookie. @throws Fault if the server does not answer */
export async function findSession(): Promise<void> {
  const { session: found } = await call<{ session: Session | null }>(path);
  if (found !== null) endedBecause.value = null;
  session.value = found;
}

/** Signs in by an API key or by the secret of a sign-in link. @throws Fault */
export async function signIn(by: { key: string } | { link: string }): Promise<void> {
  const { session: found } = await call<{ session: Session }>(path, { method: 'POST', body: by });
  endedBecause.value = null;
  session.value = found;
}

export async function signOut(): Promise<void> {
  await call(path, { method: 'DELETE' });
  session.value = null;
}
