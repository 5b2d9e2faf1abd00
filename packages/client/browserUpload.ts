import { VouchError } from './problem.ts';
import type { UploadFile, UploadProgress } from './multipart.ts';

/** What an upload uses of XMLHttpRequest. The project is compiled without the types of browsers. */
interface BrowserRequest {
  readonly upload: { addEventListener(name: 'progress', listener: (event: { loaded: number; total: number; lengthComputable: boolean }) => void): void };
  readonly status: number;
  readonly responseText: string;
  addEventListener(name: 'load' | 'error' | 'abort', listener: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: FormData): void;
  abort(): void;
}

/** The class XMLHttpRequest; undefined outside of browsers. */
export const BrowserRequest = (globalThis as { XMLHttpRequest?: new () => BrowserRequest }).XMLHttpRequest;

/**
 * Uploads with XMLHttpRequest, because `fetch` of browsers reports no progress of an upload.
 * @throws VouchError if the server refuses; TypeError if the server cannot be reached; the reason of `signal`
 */
export function uploadInBrowser(
  Request: new () => BrowserRequest, url: string, headers: Readonly<Record<string, string>>, files: readonly UploadFile[], fields: readonly (readonly [string, string])[],
  { signal, onProgress }: { signal?: AbortSignal | undefined; onProgress?: ((progress: UploadProgress) => void) | undefined },
): Promise<unknown> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  for (const { name, content } of files) {
    if (typeof content !== 'string' && !(content instanceof Blob)) throw new TypeError('In a browser, the content of a file is a File, a Blob or a text.');
    form.append('files', typeof content === 'string' ? new Blob([content]) : content, name);
  }
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new Request();
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => onProgress?.({ sentBytes: loaded, totalBytes: lengthComputable ? total : null }));
    request.addEventListener('load', () => {
      let body: unknown;
      try {
        body = JSON.parse(request.responseText);
      } catch {
        body = {};
      }
      if (request.status < 400) resolve(body);
      else reject(new VouchError(request.status, body as object, request.getResponseHeader('x-request-id')));
    });
    request.addEventListener('error', () => reject(new TypeError(`${url} could not be reached.`)));
    request.addEventListener('abort', () => reject(signal?.reason as Error));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}
