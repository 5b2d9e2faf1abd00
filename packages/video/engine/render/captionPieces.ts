import type { Cue } from '../selection/subtitles.ts';
import type { Size } from './framing/fitSize.ts';
import type { PlannedPiece, PreviewPlan } from './previewPlan.ts';
import { previewCues } from './previewText.ts';
import { wrapCaption } from './wrapCaption.ts';

/** Height of the letters and distance from the lower edge, as parts of the shorter side of the picture. */
const letters = 0.075;
const margin = 0.06;

/** Adds the subtitles of the video to the pieces of a plan, so that they are drawn into the pictures. */
export function captionPieces(plan: PreviewPlan, cues: readonly Cue[], size: Size): PreviewPlan {
  const shown = previewCues(plan, cues);
  return { ...plan, pieces: plan.pieces.map((piece) => withCaptions(piece, plan, shown, size)) };
}

function withCaptions(piece: PlannedPiece, { rate }: PreviewPlan, cues: readonly Cue[], size: Size): PlannedPiece {
  const seconds = (frames: number): number => (frames * rate.denominator) / rate.numerator;
  const [from, to] = [seconds(piece.at), seconds(piece.at + piece.frames)];
  const inside = cues.filter(({ start, end }) => start < to && end > from)
    .map(({ start, end, text }) => ({ start: Math.max(0, start - from), end: Math.min(end, to) - from, text }));
  return inside.length === 0 ? piece : { ...piece, captions: describeAss(inside, size) };
}

/** Writes subtitles in the format of Advanced SubStation Alpha: white letters with a dark outline at the lower edge, wrapped evenly (`wrapCaption`). */
export function describeAss(cues: readonly Cue[], { width, height }: Size): string {
  const side = Math.min(width, height);
  const [size, edge] = [Math.max(8, Math.round(letters * side)), Math.round(margin * side)];
  const outline = Math.max(1, Math.round(size / 12));
  const columns = (width - 2 * edge) / size;
  return [
    '[Script Info]', 'ScriptType: v4.00+', `PlayResX: ${width}`, `PlayResY: ${height}`, 'WrapStyle: 0', 'ScaledBorderAndShadow: yes', '',
    '[V4+ Styles]',
    'Format: Name, Fontname, Fontsize, PrimaryColour, OutlineColour, BackColour, Bold, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV',
    `Style: Default,Sans,${size},&H00FFFFFF,&H00202020,&H80000000,0,1,${outline},0,2,${edge},${edge},${edge}`, '',
    '[Events]', 'Format: Layer, Start, End, Style, Text',
    ...cues.map(({ start, end, text }) => `Dialogue: 0,${assTime(start)},${assTime(end)},Default,${wrapCaption(text, columns).map(escapeAss).join('\\N')}`), '',
  ].join('\n');
}

function assTime(seconds: number): string {
  const hundredths = Math.round(seconds * 100);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(hundredths / 360_000)}:${two(Math.floor(hundredths / 6000) % 60)}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`;
}

/** Escapes the text of subtitles, which is untrusted: braces would begin a command that moves or draws, a backslash a line break. */
function escapeAss(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ').replaceAll('\\', '\\\u2060').replaceAll('{', '\\{').replaceAll('}', '\\}');
}
