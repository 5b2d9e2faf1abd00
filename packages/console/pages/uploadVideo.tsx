import { useEffect, useRef, useState } from 'preact/hooks';
import { toFault, type Fault } from '../api/call.ts';
import { leftBehind } from '../api/place.ts';
import { uploadVideo, type VideoUpload } from '../api/uploadVideo.ts';
import { Bar, FaultNote } from '../parts/parts.tsx';
import { percent, size } from '../parts/words.ts';

/** Chooses a video file and uploads the file. @param uploaded called with the `media_url` of the complete upload */
export function UploadVideo({ uploaded }: { uploaded: (mediaUrl: string) => Promise<void> }) {
  const [file, setFile] = useState<File | null>(null);
  const [part, setPart] = useState(0);
  const [fault, setFault] = useState<Fault | null>(null);
  const running = useRef<VideoUpload | null>(null);

  useEffect(() => {
    if (file === null) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [file === null]);
  useEffect(() => () => {
    if (running.current === null) return;
    leftBehind.value = 'The upload was cancelled, because you left its page. The server removes what it received.';
    running.current.cancel();
  }, []);

  const send = async (chosen: File): Promise<void> => {
    setFault(null);
    setPart(0);
    setFile(chosen);
    try {
      running.current = uploadVideo(chosen, setPart);
      const mediaUrl = await running.current.done;
      running.current = null;
      await uploaded(mediaUrl);
    } catch (error) {
      setFault(toFault(error));
    }
    running.current = null;
    setFile(null);
  };
  return (
    <section aria-label="Upload a video">
      {file === null
        ? (
          <>
            <p><label class="button" for="video-file">Choose a video file</label></p>
            <input id="video-file" class="hidden-input" type="file" accept="video/*,.mkv,.ts,.gif" onChange={(event) => { const [chosen] = event.currentTarget.files ?? []; if (chosen !== undefined) void send(chosen); }} />
          </>
        )
        : (
          <div class="running"><span>{file.name}, {size(file.size)}</span><Bar part={part} label="Upload" /><span class="number">{percent(part)}</span>
            <button type="button" class="plain" onClick={() => running.current?.cancel()}>Cancel</button></div>
        )}
      {fault !== null && <FaultNote fault={fault} />}
    </section>
  );
}
