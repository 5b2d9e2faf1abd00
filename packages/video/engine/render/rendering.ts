/** A file that a run made. */
export interface RenderedFile {
  kind: OutputKind;
  /** Path of the finished file. */
  path: string;
  contentType: string;
  /** Pixels, where it is a picture or a video. */
  width?: number;
  height?: number;
  /** Seconds, where it plays. */
  duration?: number;
  /** Which segment or shot a key frame shows, and its time in the source. */
  time?: number;
}

export const outputKinds = ['mp4', 'webm', 'gif', 'webp', 'poster', 'storyboard', 'keyframes', 'shots', 'curve'] as const;

/** What a caller may ask for. A storyboard is two files: sprite and WebVTT. */
export type RequestedOutput = (typeof outputKinds)[number];

export type OutputKind = 'mp4' | 'webm' | 'gif' | 'webp' | 'poster' | 'storyboard-sprite' | 'storyboard-vtt' | 'keyframe' | 'shots' | 'curve' | 'report';
