/** An endpoint's address taken apart, so that what may be secret in it stays out of sentences. */
export interface EndpointAddress {
  origin: string;
  /** Path and query, which at hosted nodes hold the key. */
  path: string;
  /** Host and port, the part that may be shown. */
  host: string;
  /** For a user name and password in the address. */
  authorization: string | null;
  /** Texts that must not be shown where the endpoint says them back to us. */
  secrets: readonly string[];
}

/** Shorter parts of a path, such as `v3` or `mainnet`, are no secrets; hiding them would spoil sentences. */
const secretLengthMin = 8;

/** @throws Error that shows nothing of the address but its scheme */
export function readEndpointAddress(text: string): EndpointAddress {
  if (!URL.canParse(text)) throw new Error('An RPC address is not a complete URL such as http://127.0.0.1:8545.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`An RPC address has the scheme ${url.protocol.slice(0, 20)} where only http: and https: are spoken.`);
  }
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const authorization = user === '' && password === '' ? null : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), user, password];
  const secrets = parts.filter((part) => part.length >= secretLengthMin).sort((a, b) => b.length - a.length);
  return { origin: url.origin, path: `${url.pathname}${url.search}`, host: url.host, authorization, secrets };
}
