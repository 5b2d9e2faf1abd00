import { endIfSignedOut, ownHeader, readFault, type Fault } from './call.ts';

export interface Upload<Body> {
  done: Promise<Body>;
  cancel(): void;
}

/**
 * Sends a form with progress, which fetch does not report. @throws Fault
 * @param progress called with the sent part, 0 to 1
 */
export function upload<Body>(path: string, form: FormData, progress: (part: number) => void): Upload<Body> {
  const request = new XMLHttpRequest();
  const done = new Promise<Body>((resolve, reject) => {
    request.open('POST', path);
    for (const [name, value] of Object.entries(ownHeader)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => progress(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as Body);
      else reject(endIfSignedOut(readFault(request.status, request.responseText)));
    });
    const fail = (title: string, detail: string) => () => reject({ status: 0, code: 'upload', title, detail } satisfies Fault);
    request.addEventListener('error', fail('The upload was interrupted', 'The connection to the server broke. Nothing of the upload was stored; send the files again.'));
    request.addEventListener('abort', fail('The upload was cancelled', 'Nothing of the upload was stored.'));
    request.send(form);
  });
  return { done, cancel: () => request.abort() };
}
