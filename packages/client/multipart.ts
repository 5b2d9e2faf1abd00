/** A file to upload. */
export interface UploadFile {
  /** Name of the file, which error messages use. */
  name: string;
  /** A Blob or File, a text, or bytes as they come, e.g. `fs.createReadStream(path)`. */
  content: Blob | string | AsyncIterable<Uint8Array>;
}

/** How far an upload is. */
export interface UploadProgress {
  sentBytes: number;
  /** Null if a file has no known size. */
  totalBytes: number | null;
}

/** A multipart body that is made while it is sent. */
export interface Multipart {
  contentType: string;
  /** Whether the body can be made a second time: true unless a file is a stream. */
  repeatable: boolean;
  /**
   * @param onProgress called after each part of the body that the connection accepted
   * @param onFailure called with what the content of a file or `onProgress` throws, because fetch reports only that it failed
   */
  open(onProgress?: (progress: UploadProgress) => void, onFailure?: (error: unknown) => void): ReadableStream<Uint8Array>;
}

const encoder = new TextEncoder();

/** Describes the files and fields as multipart/form-data (RFC 7578). */
export function multipartOf(files: readonly UploadFile[], fields: readonly (readonly [name: string, value: string])[]): Multipart {
  const boundary = `vouch-${crypto.randomUUID()}`;
  const parts: { head: Uint8Array; content: UploadFile['content'] }[] = [
    // Fields come first, so that the server knows them before the files.
    ...fields.map(([name, value]) => ({ head: encoder.encode(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n`), content: value })),
    ...files.map(({ name, content }) => ({
      head: encoder.encode(`--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="${quoted(name)}"\r\ncontent-type: application/octet-stream\r\n\r\n`), content,
    })),
  ];
  const end = encoder.encode(`--${boundary}--\r\n`);
  const sizes = parts.map(({ head, content }) => head.length + 2 + sizeOf(content));
  const totalBytes = sizes.reduce((sum, size) => sum + size, end.length);

  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const { head, content } of parts) {
      yield head;
      if (typeof content === 'string') yield encoder.encode(content);
      else yield* content instanceof Blob ? chunksOf(content) : content;
      yield encoder.encode('\r\n');
    }
    yield end;
  }

  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    repeatable: parts.every(({ content }) => typeof content === 'string' || content instanceof Blob),
    open(onProgress, onFailure) {
      const iterator = bytes();
      let sentBytes = 0;
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          try {
            const { done, value } = await iterator.next();
            if (done === true) return controller.close();
            controller.enqueue(value);
            sentBytes += value.length;
            onProgress?.({ sentBytes, totalBytes: Number.isNaN(totalBytes) ? null : totalBytes });
          } catch (error) {
            onFailure?.(error);
            throw error;
          }
        },
        async cancel() {
          await iterator.return(undefined);
        },
      });
    },
  };
}

/** Escapes a name as HTML forms do. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function sizeOf(content: UploadFile['content']): number {
  return typeof content === 'string' ? encoder.encode(content).length : content instanceof Blob ? content.size : NaN;
}

/** Not every browser can iterate over a ReadableStream. */
async function* chunksOf(blob: Blob): AsyncGenerator<Uint8Array> {
  const reader = blob.stream().getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
