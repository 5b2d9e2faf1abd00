import { betweenCuts, type EditClip, type EditList, type UnusedClip } from './editList.ts';
import { markup, type Markup } from '../../report/markup.ts';

/**
 * The edit list as FCPXML 1.9: a project with the preview, and a second one with the moments that are not in the preview. Reasons are markers.
 * The media is named relative to the file.
 */
export function describeFcpxml(list: EditList): string {
  const { rate, media, sound } = list;
  const source = encodeURIComponent(media);
  const facts = sound === null ? null : markup` hasAudio="1" audioSources="1" audioChannels="${sound.channels}" audioRate="${sound.sampleRate}"`;
  const page = markup`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE fcpxml>
<fcpxml version="1.9">
  <resources>
    <format id="r1" frameDuration="${rate.denominator}/${rate.numerator}s" width="${list.width}" height="${list.height}"/>
    <asset id="r2" name="${media}" start="${time(list, list.mediaStart)}" duration="${time(list, list.mediaFrames)}" hasVideo="1" format="r1"${facts}>
      <media-rep kind="original-media" src="${source}"/>
    </asset>
  </resources>
  <library>
    <event name="Vouch">
      ${project(list, `Preview of ${media}`, list.frames, list.clips.map((clip) => selectedClip(list, clip)))}
      ${list.unused.length === 0 ? null : project(list, `Moments not in the preview of ${media}`, list.unused.reduce((sum, { frames }) => sum + frames, 0), unusedClips(list))}
    </event>
  </library>
</fcpxml>
`;
  return page.text;
}

function project(list: EditList, name: string, frames: number, children: readonly Markup[]): Markup {
  return markup`<project name="${name}">
        <sequence format="r1" duration="${time(list, frames)}" tcStart="0s" tcFormat="${formatOf(list)}">
          <spine>${children}
          </spine>
        </sequence>
      </project>`;
}

function selectedClip(list: EditList, clip: EditClip): Markup {
  const fade = clip.overlapBefore === 0 ? null : markup`
            <transition name="Cross Dissolve" offset="${time(list, clip.at)}" duration="${time(list, clip.overlapBefore)}"/>`;
  const markers = clip.markers.map(({ text, frame }) => marker(list, frame, text));
  return markup`${fade}${assetClip(list, { name: clip.name, ...betweenCuts(clip), markers })}`;
}

function unusedClips(list: EditList): Markup[] {
  let at = 0;
  return list.unused.map(({ from, frames, why, detail }: UnusedClip) => {
    const clip = assetClip(list, { name: why, from, frames, at, markers: [marker(list, from, detail)] });
    at += frames;
    return clip;
  });
}

function assetClip(list: EditList, { name, from, at, frames, markers }: { name: string; from: number; at: number; frames: number; markers: readonly Markup[] }): Markup {
  return markup`
            <asset-clip ref="r2" name="${name}" offset="${time(list, at)}" start="${time(list, from)}" duration="${time(list, frames)}" format="r1" tcFormat="${formatOf(list)}">${markers}
            </asset-clip>`;
}

function marker(list: EditList, frame: number, text: string): Markup {
  return markup`
              <marker start="${time(list, frame)}" duration="${time(list, 1)}" value="${text}"/>`;
}

function formatOf({ timecode }: EditList): string {
  return timecode.dropFrame ? 'DF' : 'NDF';
}

/** FCPXML counts in fractions of a second, each a whole number of frames. */
function time({ rate }: EditList, frames: number): string {
  return frames === 0 ? '0s' : `${frames * rate.denominator}/${rate.numerator}s`;
}
