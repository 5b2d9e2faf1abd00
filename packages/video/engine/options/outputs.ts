/** Outputs that a caller may request. A storyboard consists of two files: sprite and WebVTT. */
export const outputKinds = ['mp4', 'webm', 'gif', 'webp', 'poster', 'storyboard', 'keyframes', 'shots', 'curve'] as const;

export type RequestedOutput = (typeof outputKinds)[number];

/** Kind of an output file. */
export type FileKind = 'mp4' | 'webm' | 'gif' | 'webp' | 'poster' | 'storyboard-sprite' | 'storyboard-vtt' | 'keyframe' | 'shots' | 'curve' | 'report';
