import { aspectOf } from '../options/aspectRatio.ts';
import type { SummaryOptions } from '../options/options.schema.ts';

/** Narrowest and widest aspect ratio. Outside, a crop shows almost nothing of a picture, and padding is mostly black. */
const narrowest = 1 / 4;
const widest = 4;
/** Aspect ratios that differ by less than this factor give the same size in pixels. */
const sameRatio = 1.001;

/** Reports contradictions between the options for the shape of the preview. */
export function shapeFaults({ aspect_ratios: ratios, framing, width, height }: SummaryOptions): { location: string; detail: string }[] {
  if (ratios === undefined) {
    return framing === undefined ? [] : exactFaults(framing, width, height);
  }
  const faults = ratios.flatMap((ratio, index) => ratioFaults(ratio, ratios.slice(0, index), index));
  if (ratios.length === 0) {
    faults.push({ location: '/aspect_ratios', detail: 'aspect_ratios is empty. Name at least one aspect ratio, such as "9:16", or omit aspect_ratios for the aspect ratio of the video.' });
  }
  if (width !== undefined && height !== undefined) {
    faults.push({ location: '/aspect_ratios', detail: `width ${width} and height ${height} already set an aspect ratio. Use at most one of them with aspect_ratios.` });
  }
  return faults;
}

function exactFaults(framing: string, width: number | undefined, height: number | undefined): { location: string; detail: string }[] {
  if (width === undefined || height === undefined) {
    return [{ location: '/framing', detail: `framing "${framing}" has no effect without another aspect ratio. Set aspect_ratios, or both width and height.` }];
  }
  return Object.entries({ width, height }).flatMap(([name, pixels]) => (pixels % 2 === 0 ? [] : [
    { location: `/${name}`, detail: `${name} is ${pixels}, but previews have even sides. Use ${pixels - 1} or ${pixels + 1}.` },
  ]));
}

function ratioFaults(ratio: string, earlier: readonly string[], index: number): { location: string; detail: string }[] {
  const location = `/aspect_ratios/${index}`;
  const aspect = aspectOf(ratio);
  if (aspect < narrowest || aspect > widest) return [{ location, detail: `The aspect ratio ${ratio} is outside the range from 1:4 to 4:1.` }];
  const same = earlier.find((other) => Math.abs(Math.log(aspectOf(other) / aspect)) < Math.log(sameRatio));
  return same === undefined ? [] : [{ location, detail: `The aspect ratios ${same} and ${ratio} are the same. Remove one of them.` }];
}
