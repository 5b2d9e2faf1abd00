import type { Problem } from './generated/schemas.ts';

/** What may come in place of a problem: the answers of the message routes, a proxy's page, or nothing. */
type Body = Partial<Problem> & { error?: unknown; reason?: string; message?: string };

/** A request that the server refused. `message` states the cause and what to do. */
export class VouchError extends Error {
  override readonly name = 'VouchError';
  /** Status of the answer. */
  readonly status: number;
  /** Stable name of the error, e.g. `model-not-ready`; `http-502` where the answer names no code, e.g. an answer of a proxy. */
  readonly code: string;
  /** All faults of a request with several, e.g. rows of a file. */
  readonly errors: NonNullable<Problem['errors']>;
  /** Id of the request, which the log of the server has too; null where the answer has none. */
  readonly requestId: string | null;
  /** URL of the page of the code; null where the answer has none. */
  readonly type: string | null;

  constructor(status: number, body: Body, requestId: string | null = null) {
    const code = body.code ?? body.reason ?? `http-${status}`;
    super(body.detail ?? body.message ?? body.title ?? `The server answered with status ${status}.`);
    this.status = status;
    this.code = code;
    this.errors = body.errors ?? [];
    this.requestId = body.request_id ?? requestId;
    this.type = body.type ?? null;
  }
}

/** Reads the error of an answer with a status of 400 or more. */
export async function errorOf(answer: Response): Promise<VouchError> {
  const text = await answer.text().catch(() => '');
  let body: Body = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) body = parsed;
  } catch {
    // A proxy answers with a page of its own.
  }
  return new VouchError(answer.status, body, answer.headers.get('x-request-id'));
}
