/** One picture of a storyboard: its time in seconds and its place in the sheet in pixels. */
export interface Tile {
  start: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Reads the WebVTT file of a storyboard, whose cues name places of the sheet (`#xywh=`). */
export function parseTiles(vtt: string): Tile[] {
  const cues = vtt.matchAll(/(?:(\d+):)?(\d+):(\d+(?:\.\d+)?) -->[^\n]*\n[^\n]*#xywh=(\d+),(\d+),(\d+),(\d+)/g);
  return [...cues].map(([, hours = '0', ...numbers]) => {
    const [minutes = 0, seconds = 0, x = 0, y = 0, width = 0, height = 0] = numbers.map(Number);
    return { start: Number(hours) * 3600 + minutes * 60 + seconds, x, y, width, height };
  });
}
