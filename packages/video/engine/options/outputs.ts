/** What a caller may ask for. A storyboard is two files: sprite and WebVTT. */
export const outputKinds = ['mp4', 'webm', 'gif', 'webp', 'poster', 'storyboard', 'keyframes', 'shots', 'curve'] as const;

export type RequestedOutput = (typeof outputKinds)[number];

/** What a file of a summary is. */
export type FileKind = 'mp4' | 'webm' | 'gif' | 'webp' | 'poster' | 'storyboard-sprite' | 'storyboard-vtt' | 'keyframe' | 'shots' | 'curve' | 'report';
