import { fetchWhole, type Fetch } from '../outbound/fetchWhole.ts';

/** A response whose body was read completely. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** Parses the body as JSON. @throws Error that quotes the body if it is not JSON */
  json<Body>(): Body;
}

/** The content of a request; either `body` or `form`, not both. */
export interface Call {
  /** Query parameters; a list is sent as a repeated parameter. */
  query?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Sent as a JSON body. */
  body?: unknown;
  form?: FormData;
  headers?: Readonly<Record<string, string>>;
}

/** Calls a running server as its users do, over plain HTTP with an API key. Responses of any status are returned, not thrown. */
export class HttpClient {
  readonly baseUrl: string;
  readonly apiKey: string;
  protected readonly fetch: Fetch;

  /** @param baseUrl URL without a slash at the end @param apiKey empty to send no key @param through the function that sends the requests */
  constructor(baseUrl: string, apiKey: string, through: Fetch = fetchWhole) {
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
    this.fetch = through;
  }

  async send(method: string, path: string, { query = {}, body, form, headers = {} }: Call = {}): Promise<Reply> {
    const url = new URL(this.baseUrl + path);
    for (const [name, value] of Object.entries(query)) {
      for (const member of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(member));
    }
    const answer = await this.fetch(url, {
      method,
      headers: { ...headers, ...(this.apiKey === '' ? {} : { apikey: this.apiKey }), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined && form === undefined ? {} : { body: body === undefined ? form! : JSON.stringify(body) }),
    });
    return replyOf(answer.status, answer.headers, await answer.text());
  }

  /** Posts a text with only these headers: the client's own headers, such as the API key, are not sent. */
  async postText(path: string, text: string, headers: Readonly<Record<string, string>>): Promise<Reply> {
    const answer = await this.fetch(this.baseUrl + path, { method: 'POST', headers, body: text });
    return replyOf(answer.status, answer.headers, await answer.text());
  }

  get(path: string, query: Call['query'] = {}): Promise<Reply> {
    return this.send('GET', path, { query });
  }
}

function replyOf(status: number, headers: Headers, text: string): Reply {
  return { status, headers, text, json: <Body>() => parse<Body>(text) };
}

/** @throws Error that quotes the body if the response has another status */
export function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status === status) return reply;
  throw new Error(`the answer should have the status ${status}, but is ${reply.status}: ${reply.text.slice(0, 1_000)}`);
}

/** Checks that the server rejects a request with status 422 and names the parameter or field in its answer. @throws Error otherwise */
export function expectRefused(reply: Reply, location: string): void {
  const { errors = [] } = expectStatus(reply, 422).json<{ errors?: { location: string }[] }>();
  if (errors.some((fault) => fault.location.startsWith(location))) return;
  throw new Error(`the answer should name ${location}, but its errors are ${JSON.stringify(errors)}`);
}

function parse<Body>(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    throw new Error(`the body is not JSON: ${text.slice(0, 500)}`);
  }
}
