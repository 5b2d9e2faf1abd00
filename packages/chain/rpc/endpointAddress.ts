/** Parts of an endpoint's URL, separated so that secret parts do not appear in messages. */
export interface EndpointAddress {
  origin: string;
  /** Path and query; for hosted nodes, they contain the API key. */
  path: string;
  /** Host and port; not secret. */
  host: string;
  /** Basic authorization header for a user name and password in the URL; null if the URL has neither. */
  authorization: string | null;
  /** Texts to hide if the endpoint repeats them in its answers. */
  secrets: readonly string[];
}

/** Minimum length of a secret. Shorter parts of a path, such as `v3` or `mainnet`, are common words. */
const secretLengthMin = 8;

/** Parses an endpoint's URL. @throws Error whose message contains no part of the URL except its scheme */
export function parseEndpointAddress(text: string): EndpointAddress {
  if (!URL.canParse(text)) throw new Error('An RPC URL is not a complete URL such as http://127.0.0.1:8545.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`An RPC URL has the scheme ${url.protocol.slice(0, 20)}; only http: and https: are supported.`);
  }
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const authorization = user === '' && password === '' ? null : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), user, password];
  const secrets = parts.filter((part) => part.length >= secretLengthMin).sort((a, b) => b.length - a.length);
  return { origin: url.origin, path: `${url.pathname}${url.search}`, host: url.host, authorization, secrets };
}
