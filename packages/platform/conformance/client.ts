import { fetchWhole, type Fetch } from '../outbound/fetchWhole.ts';

/** An answer, read to its end. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON. @throws Error that shows the body where it is none */
  json<Body>(): Body;
}

export interface Call {
  /** A list is sent as a repeated parameter. */
  query?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Sent as JSON. */
  body?: unknown;
  form?: FormData;
  headers?: Readonly<Record<string, string>>;
}

/** Talks to a served product as its users do: plain HTTP with a key. Answers of any status are returned. */
export class HttpClient {
  readonly baseUrl: string;
  readonly apiKey: string;
  protected readonly fetch: Fetch;

  /**
   * @param apiKey empty for none
   * @param through what sends the requests
   */
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

  /** Posts a text with these headers and no others of the client. */
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

/** @throws Error that shows the answer where it has another status */
export function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status === status) return reply;
  throw new Error(`the answer should have the status ${status}, but is ${reply.status}: ${reply.text.slice(0, 1_000)}`);
}

/** Checks that a request is refused for one parameter or field, which the answer names. @throws Error otherwise */
export function expectRefused(reply: Reply, location: string): void {
  const { errors = [] } = expectStatus(reply, 422).json<{ errors?: { location: string }[] }>();
  if (errors.some((fault) => fault.location.startsWith(location))) return;
  throw new Error(`the answer should name ${location}, but its faults are ${JSON.stringify(errors)}`);
}

function parse<Body>(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    throw new Error(`the body is not JSON: ${text.slice(0, 500)}`);
  }
}
