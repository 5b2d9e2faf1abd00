import { useRef, useState } from 'preact/hooks';
import type { RunRecord } from '@vouch/video/runs/run.schema';
import { call } from '../api/call.ts';
import { go, href } from '../api/place.ts';
import { may } from '../api/session.ts';
import { useLoad } from '../api/useLoad.ts';
import { useSend } from '../api/useSend.ts';
import { FaultNote, Loading, Page, State, Table, When } from '../parts/parts.tsx';
import { isActive, mediaName, outputOf, RunningRun } from '../parts/runs.tsx';
import { previewStart } from '../parts/previewStart.ts';
import { describeReason } from '../parts/segmentReason.ts';
import { clock, duration, percent, size } from '../parts/words.ts';
import { Timeline } from './timeline.tsx';

/** One run: its preview, the segments on the time axis of the source with their reasons, and the files. */
export function OneRun({ runId }: { runId: string }) {
  const path = `/v1/status/${encodeURIComponent(runId)}`;
  const { value: run, fault, reload } = useLoad(path, (stop) => call<RunRecord>(path, { signal: stop }), (record) => (record === null || isActive(record) ? 1_000 : 0));
  return (
    <Page title={run === null ? 'Video' : mediaName(run)} call={path} actions={run !== null && <Actions run={run} changed={reload} />}>
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {run === null ? fault === null && <Loading lines={6} /> : <Content run={run} />}
    </Page>
  );
}

function Actions({ run, changed }: { run: RunRecord; changed: () => void }) {
  const { busy, fault, send } = useSend();
  const again = (): void => send(() => call<RunRecord>('/v1video-summarization/create', {
    method: 'POST', body: { media_url: run.media_url, options: run.options, cache_id: run.run_id },
  }).then(({ run_id: id }) => go(href(['videos', id]))));
  if (!may('video:write')) return null;
  return (
    <>
      {isActive(run)
        ? <button type="button" class="danger" disabled={busy} onClick={() => send(() => call(`/v1/cancel/${run.run_id}`).then(changed))}>Cancel</button>
        : <button type="button" class="plain" disabled={busy} onClick={again}>Summarize again</button>}
      {fault !== null && <FaultNote fault={fault} />}
    </>
  );
}

function Content({ run }: { run: RunRecord }) {
  const player = useRef<HTMLVideoElement>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const preview = outputOf(run, 'mp4') ?? outputOf(run, 'webm') ?? outputOf(run, 'av1');
  const poster = outputOf(run, 'poster');
  const show = (at: number): void => {
    setChosen(at);
    if (player.current === null) return;
    player.current.currentTime = previewStart(run.segments, at, run.options.crossfade ?? 0);
  };
  return (
    <>
      {isActive(run) ? <RunningRun run={run} /> : <p><State of={run.status} /> <When at={run.completed_at ?? run.created_at} /> <span class="quiet">{describe(run)}</span></p>}
      {run.error !== null && <p class="note bad">{run.error.detail} <a href={run.error.type} target="_blank" rel="noreferrer">{run.error.code}</a></p>}
      {run.warnings.map(({ code, detail }) => <p class="note" key={code + detail}>{detail}</p>)}
      {preview !== undefined && <video ref={player} class="player" controls preload="metadata" playsInline src={preview.url} poster={poster?.url} />}
      {run.source !== null && run.segments.length > 0 && <Timeline run={run} chosen={chosen} choose={show} />}
      {run.segments.length > 0 && <Segments run={run} chosen={chosen} choose={show} />}
      {run.outputs.length > 0 && <Files run={run} />}
    </>
  );
}

function describe({ source, shots_count: shots, timings, cache }: RunRecord): string {
  const spent = Object.values(timings).reduce((sum, each) => sum + each, 0);
  return [
    source === null ? null : `${clock(source.duration)}, ${source.width} × ${source.height}`, shots === null ? null : `${shots} shots`,
    spent > 0 ? `made in ${duration(spent)}` : null, cache.hit === true ? 'analysis reused' : null,
  ].filter((part) => part !== null).join(', ');
}

function Segments({ run, chosen, choose }: { run: RunRecord; chosen: number | null; choose: (at: number) => void }) {
  return (
    <section aria-label="Segments">
      <h2>Segments</h2>
      <ol class="segments">
        {run.segments.map((segment, at) => (
          <li key={segment.start}>
            <button type="button" class="choice" aria-pressed={chosen === at} onClick={() => choose(at)}>
              <span class="number">{clock(segment.start, 1)} – {clock(segment.end, 1)}</span>
              <span>{segment.title ?? segment.text ?? `Segment ${at + 1}`}
                <small>{segment.reasons.map(describeReason).join(' · ')}</small></span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function describeFraming({ aspect_ratio: ratio, framing }: RunRecord['outputs'][number]): string {
  const shown = framing?.mode === 'crop'
    ? `crop, shows ${percent(framing.picture_share)} of the picture${framing.motion_share === null ? '' : `, ${percent(framing.motion_share)} of the motion`}${framing.faces_share == null ? '' : `, ${percent(framing.faces_share)} of the faces`}`
    : framing?.mode === 'pad' ? 'whole picture with black bars' : 'whole picture';
  return [ratio, shown].filter((part) => part !== undefined).join(', ');
}

function describeChoice({ quality, text, face }: NonNullable<RunRecord['outputs'][number]['choice']>): string {
  return [`quality ${percent(quality)}`, ...(text === null ? [] : [text ? 'shows text' : 'no text found']), ...(face === null ? [] : [face > 0 ? `shows a face, ${percent(face)} clear` : 'no clear face'])].join(', ');
}

function Files({ run }: { run: RunRecord }) {
  return (
    <section aria-label="Files">
      <h2>Files</h2>
      <Table label="Files" columns={['File', 'Kind', 'Size']}>
        {run.outputs.map((output) => (
          <tr key={output.name}>
            <td><a href={output.url} download>{output.name}</a></td>
            <td>{output.kind}{output.width !== undefined && ` ${output.width} × ${output.height}`}{output.framing !== undefined && <small>{describeFraming(output)}</small>}{output.choice !== undefined && <small>{describeChoice(output.choice)}</small>}</td>
            <td class="number">{size(output.bytes)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
