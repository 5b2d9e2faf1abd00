import { useState } from 'preact/hooks';
import type { RunRecord } from '@vouch/video/runs/run.schema';
import { useLoad } from '../api/useLoad.ts';
import { parseTiles, type Tile } from '../parts/tiles.ts';
import { outputOf } from '../parts/runs.tsx';
import { clock, percent } from '../parts/words.ts';

/** The source on one time axis: chosen segments by their score, and the storyboard under the pointer. */
export function Timeline({ run, chosen, choose }: { run: RunRecord; chosen: number | null; choose: (at: number) => void }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const length = run.source?.duration ?? 1;
  const map = outputOf(run, 'storyboard-vtt');
  const sprite = outputOf(run, 'storyboard-sprite');
  const tiles = useLoad(map?.url ?? '', async () => (map === undefined ? [] : parseTiles(await (await fetch(pathOf(map.url))).text())));
  const curve = outputOf(run, 'curve');
  const importance = useLoad(curve?.url ?? 'no curve', async () => (curve === undefined ? null : (await (await fetch(pathOf(curve.url))).json()) as Curve));
  const tile = pointed === null ? undefined : tiles.value?.findLast(({ start }) => start <= pointed);
  const follow = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setPointed(Math.max(0, Math.min(length, ((event.clientX - left) / width) * length)));
  };
  return (
    <section class="timeline" aria-label="Time axis">
      <div class="axis" onPointerMove={follow} onPointerLeave={() => setPointed(null)}>
        {importance.value != null && <ImportanceCurve curve={importance.value} length={length} />}
        {run.segments.map((segment, at) => (
          <button type="button" key={segment.start} class="segment" aria-pressed={chosen === at} onClick={() => choose(at)}
            aria-label={`Segment ${at + 1}, ${clock(segment.start)} to ${clock(segment.end)}, score ${percent(segment.score)}`}
            style={{ left: `${(100 * segment.start) / length}%`, width: `${(100 * (segment.end - segment.start)) / length}%`, height: `${20 + 80 * segment.score}%` }} />
        ))}
        {pointed !== null && <span class="cursor" style={{ left: `${(100 * pointed) / length}%` }} />}
      </div>
      <div class="ends"><span class="number">0:00</span>{pointed !== null && <span class="number">{clock(pointed)}</span>}<span class="number">{clock(length)}</span></div>
      {sprite !== undefined && tile !== undefined && <TilePicture tile={tile} sheet={sprite.url} />}
    </section>
  );
}

/** Values of the importance, one every `step` seconds. */
interface Curve {
  step: number;
  importance: readonly number[];
}

function ImportanceCurve({ curve: { step, importance }, length }: { curve: Curve; length: number }) {
  const most = Math.max(...importance, 1e-9);
  const points = importance.map((value, at) => `${((1000 * at * step) / length).toFixed(1)},${(100 - (100 * value) / most).toFixed(1)}`);
  return <svg class="importance" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="Importance over the video"><polyline points={points.join(' ')} /></svg>;
}

/** Links carry the public URL; a file of this server is read from the page's own origin. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

function TilePicture({ tile, sheet }: { tile: Tile; sheet: string }) {
  return <span class="tile" aria-hidden="true" style={{ width: `${tile.width}px`, height: `${tile.height}px`, backgroundImage: `url("${pathOf(sheet)}")`, backgroundPosition: `-${tile.x}px -${tile.y}px` }} />;
}
