interface ServedConsole {
  platform: { publicUrl: string; keys: { makeSignInLink(): Promise<string | null> } };
}

/** Returns the link that signs in to the console. The secret is in the fragment, which browsers send to no server and write to no log. */
export function signInLink(url: string, secret: string): string {
  return `${url}/console#sign-in=${secret}`;
}

/**
 * Describes how to open the console of a server that has started. Contains a sign-in link only for a terminal, because other readers of the output may
 * store the link in a log.
 */
export async function describeConsole({ platform: { publicUrl, keys } }: ServedConsole, isTerminal: boolean): Promise<string> {
  const secret = isTerminal ? await keys.makeSignInLink() : null;
  return secret === null
    ? `Console: ${publicUrl}/console  (sign in with an API key, or with a link from vouch console)`
    : `Console: ${signInLink(publicUrl, secret)}  (signs in once, within ten minutes; vouch console prints another link)`;
}
