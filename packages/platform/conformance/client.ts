import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

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
  protected readonly fetch: typeof fetch;

  /**
   * @param apiKey empty for none
   * @param through what sends the requests
   */
  constructor(baseUrl: string, apiKey: string, through: typeof fetch = fetch) {
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
    this.fetch = through;
  }

  async send(method: string, path: string, { query = {}, body, form, headers = {} }: Call = {}): Promise<Reply> {
    const url = new URL(this.baseUrl + path);
    for (const [name, value] of Object.entries(query)) {
      for (const member of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(member));
    }
    const sent = new Headers(headers);
    if (this.apiKey !== '') sent.set('apikey', this.apiKey);
    if (body !== undefined) sent.set('content-type', 'application/json');
    const content = body === undefined ? form : JSON.stringify(body);
    const answer = await this.fetch(url, { method, headers: sent, ...(content === undefined ? {} : { body: content }) });
    return replyOf(answer.status, answer.headers, await answer.text());
  }

  get(path: string, query: Call['query'] = {}): Promise<Reply> {
    return this.send('GET', path, { query });
  }
}

/** Posts a text with exactly these headers, beside Host, Connection and Content-Length: `fetch` always sends a User-Agent. */
export function postBare(url: string, text: string, headers: Readonly<Record<string, string>>): Promise<Reply> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...headers, 'content-length': String(Buffer.byteLength(text)) }, agent: false }, (answer) => {
      let read = '';
      answer.setEncoding('utf8').on('data', (part: string) => (read += part)).on('error', reject);
      answer.on('end', () => resolve(replyOf(answer.statusCode ?? 0, new Headers(answer.headers as Record<string, string>), read)));
    });
    sent.on('error', reject).end(text);
  });
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
