import { call, endIfSignedOut, ownHeader, readFault, toFault, type Fault } from './call.ts';

export interface VideoUpload {
  /** Resolves with the `media_url` for a run. @throws Fault */
  done: Promise<string>;
  cancel(): void;
}

interface Started {
  upload_id: string;
  media_url: string;
}

const tus = { ...ownHeader, 'tus-resumable': '1.0.0' };
/** Breaks in a row, without a byte stored between them, after which an upload fails: more than two minutes. */
const maxBreaks = 12;
const longestPauseMs = 15_000;

/**
 * Sends a video by the tus protocol. After a break, the upload continues from the stored bytes.
 * @param progress called with the sent part, 0 to 1
 */
export function uploadVideo(file: File, progress: (part: number) => void): VideoUpload {
  const stop = new AbortController();
  return { done: send(file, progress, stop.signal), cancel: () => stop.abort() };
}

async function send(file: File, progress: (part: number) => void, stop: AbortSignal): Promise<string> {
  if (file.size === 0) throw { status: 0, code: 'upload', title: 'The file is empty', detail: `“${file.name}” has no bytes. Choose another file.` } satisfies Fault;
  const { upload_id: id, media_url: mediaUrl } = await call<Started>('/v1/uploads', {
    method: 'POST', headers: { ...tus, 'upload-length': String(file.size), 'upload-metadata': `filename ${base64(file.name)}` },
  });
  const path = `/v1/uploads/${encodeURIComponent(id)}`;
  const remove = (): void => void fetch(path, { method: 'DELETE', headers: tus }).catch(() => undefined);
  // The request above is not cancelled, because an upload whose id is unknown could not be removed.
  if (stop.aborted) {
    remove();
    throw cancelled;
  }
  let offset = 0;
  for (let breaks = 0; offset < file.size;) {
    try {
      await sendFrom(path, file, offset, progress, stop);
      offset = file.size;
    } catch (error) {
      if (stop.aborted) remove();
      if (stop.aborted || !canContinue(toFault(error)) || breaks >= maxBreaks) throw error;
      breaks += 1;
      await new Promise((later) => setTimeout(later, Math.min(longestPauseMs, 500 * 2 ** breaks)));
      const stored = await storedBytes(path, stop).catch((fault: unknown) => { if (canContinue(toFault(fault))) return offset; throw fault; });
      if (stored > offset) breaks = 0;
      offset = stored;
    }
  }
  return mediaUrl;
}

const cancelled: Fault = { status: 0, code: 'upload', title: 'The upload was cancelled', detail: 'The server removes what it received.' };

/** Sends the file from a byte on, with progress, which fetch does not report. @throws Fault */
function sendFrom(path: string, file: File, offset: number, progress: (part: number) => void, stop: AbortSignal): Promise<void> {
  const request = new XMLHttpRequest();
  stop.addEventListener('abort', () => request.abort(), { once: true });
  return new Promise((resolve, reject) => {
    request.open('PATCH', path);
    for (const [name, value] of Object.entries({ ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' })) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded }) => progress((offset + loaded) / file.size));
    request.addEventListener('load', () => (request.status === 204 ? resolve() : reject(endIfSignedOut(readFault(request.status, request.responseText)))));
    const fail = (title: string, detail: string) => () => reject({ status: 0, code: 'upload', title, detail } satisfies Fault);
    request.addEventListener('error', fail('The upload was interrupted', 'The server could not be reached for two minutes. Choose the file again.'));
    request.addEventListener('abort', () => reject(cancelled));
    request.send(file.slice(offset));
  });
}

/** A busy or absent server, and a server that has more or fewer bytes than expected. */
function canContinue({ status }: Fault): boolean {
  return status === 0 || status === 409 || status === 429 || status >= 500;
}

async function storedBytes(path: string, stop: AbortSignal): Promise<number> {
  const answer = await fetch(path, { method: 'HEAD', headers: tus, signal: stop });
  if (!answer.ok) throw endIfSignedOut(readFault(answer.status, ''));
  return Number(answer.headers.get('upload-offset'));
}

function base64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
