import { useState } from 'preact/hooks';
import type { RunRecord } from '@vouch/video/runs/run.schema';
import { ask, call } from '../api/call.ts';
import { go, href } from '../api/place.ts';
import { may } from '../api/session.ts';
import { useLoad } from '../api/useLoad.ts';
import { useSend } from '../api/useSend.ts';
import { describeQueue } from '../parts/describeQueue.ts';
import { pagedPath, Pages } from '../parts/pages.tsx';
import { Bar, Empty, FaultNote, Loading, Page, State, When } from '../parts/parts.tsx';
import { isActive, mediaName, outputOf } from '../parts/runs.tsx';
import { clock, counted } from '../parts/words.ts';
import { UploadVideo } from './uploadVideo.tsx';

/** All runs with their posters, and the start of another one. */
export function Videos() {
  const path = pagedPath('/v1/runs');
  const { value, fault, reload } = useLoad(path, (stop) => ask<RunRecord[]>(path, { signal: stop }), (runs) => (runs?.body.some(isActive) === true ? 1_500 : 15_000));
  return (
    <Page title="Videos" call={path}>
      {may('video:write') && <Summarize />}
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null ? fault === null && <Loading lines={5} /> : value.body.length === 0
        ? <Empty title="No video yet"><p>Give the URL of a video, or choose a file. Vouch reads the video and makes a preview, a poster and a storyboard.</p></Empty>
        : <ul class="runs">{value.body.map((run) => <RunCard key={run.run_id} run={run} />)}</ul>}
      {value !== null && <Pages of="videos" next={value.next} />}
    </Page>
  );
}

function RunCard({ run }: { run: RunRecord }) {
  const poster = outputOf(run, 'poster');
  return (
    <li>
      <a href={href(['videos', run.run_id])}>
        <span class="poster">{poster === undefined ? <span aria-hidden="true">{isActive(run) ? run.stage ?? describeQueue(run) : '—'}</span> : <img src={poster.url} alt="" loading="lazy" />}</span>
        <strong>{mediaName(run)}</strong>
      </a>
      {isActive(run) ? <Bar part={run.progress} label={`Summary of ${mediaName(run)}`} /> : <State of={run.status} />}{' '}
      <span class="quiet">{run.source !== null && `${clock(run.source.duration)}, ${run.segments.length > 0 ? `${counted(run.segments.length, 'segment')}, ` : ''}`}<When at={run.created_at} /></span>
      {run.error !== null && <p class="note bad">{run.error.detail}</p>}
    </li>
  );
}

/** Starts a run for a URL or for a file, which is uploaded first. */
function Summarize() {
  const [url, setUrl] = useState('');
  const [seconds, setSeconds] = useState('30');
  const { busy, fault, send } = useSend();
  const start = async (mediaUrl: string): Promise<void> => {
    const { run_id: id } = await call<RunRecord>('/v1video-summarization/create', { method: 'POST', body: { media_url: mediaUrl, options: { duration: Number(seconds), outputs: ['mp4', 'poster', 'storyboard', 'curve'] } } });
    go(href(['videos', id]));
  };
  return (
    <>
      <form class="row" aria-label="Summarize" onSubmit={(event) => { event.preventDefault(); send(() => start(url.trim())); }}>
        <span class="field wide"><label for="media">URL of a video</label> <input id="media" class="wide" inputMode="url" value={url} required placeholder="https://example.org/film.mp4" onInput={(event) => setUrl(event.currentTarget.value)} /></span>
        <span class="field"><label for="seconds">Preview in seconds</label> <input id="seconds" type="number" min="1" max="3600" value={seconds} onInput={(event) => setSeconds(event.currentTarget.value)} /></span>
        <button type="submit" disabled={busy}>Summarize</button>
        {fault !== null && <FaultNote fault={fault} />}
      </form>
      <UploadVideo uploaded={start} />
    </>
  );
}
