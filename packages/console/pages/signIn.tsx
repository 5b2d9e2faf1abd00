import { useEffect, useState } from 'preact/hooks';
import { endedBecause, toFault, type Fault } from '../api/call.ts';
import { findSession, signIn } from '../api/session.ts';
import { FaultNote } from '../parts/parts.tsx';

/** The secret of a sign-in link in the fragment of the address; the fragment is removed at once. */
function takeLink(): string | null {
  const link = /^#sign-in=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (link !== null) history.replaceState(null, '', location.pathname + location.search);
  return link;
}

/** Signs in by a link or by an API key. */
export function SignIn() {
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const enter = async (by: Parameters<typeof signIn>[0]): Promise<void> => {
    setBusy(true);
    setFault(null);
    await signIn(by).catch((error: unknown) => setFault(toFault(error)));
    setBusy(false);
  };
  useEffect(() => {
    document.title = 'Sign in · Vouch';
    const link = takeLink();
    if (link !== null) void enter({ link });
    // Another tab may have signed in meanwhile.
    const look = (): void => void findSession().catch(() => undefined);
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, []);
  return (
    <main class="sign-in" id="main">
      <h1>Vouch</h1>
      {endedBecause.value !== null && fault === null && <p class="note">Your session has ended. Sign in again to continue on this page.</p>}
      {fault !== null && <FaultNote fault={fault} />}
      <form onSubmit={(event) => { event.preventDefault(); void enter({ key: key.trim() }); }}>
        <label for="key">API key</label>
        <input id="key" type="password" autocomplete="current-password" spellcheck={false} value={key} onInput={(event) => setKey(event.currentTarget.value)} placeholder="vch_…" required />
        <button type="submit" disabled={busy || key.trim() === ''}>{busy ? 'Signing in…' : 'Sign in'}</button>
      </form>
      <p class="aside">
        The first admin key is in the file <code>key</code> of the data folder. On the machine of the server, <code>vouch console</code> prints a link
        that signs in without a key. The browser stores no key: it gets a session of twelve hours that ends with the key.
      </p>
    </main>
  );
}
