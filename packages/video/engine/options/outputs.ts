/**
 * Outputs that a caller may request. A storyboard consists of two files: sprite and WebVTT, and so does `hls`: playlist and fragmented mp4; `av1` is an mp4
 * file with AV1; `poster_candidates` are up to three pictures; `otio`, `edl` and `fcpxml` are edit lists.
 */
export const outputKinds = ['mp4', 'webm', 'av1', 'hls', 'gif', 'webp', 'poster', 'poster_candidates', 'storyboard', 'keyframes', 'shots', 'curve', 'captions', 'chapters', 'otio', 'edl', 'fcpxml'] as const;

export type RequestedOutput = (typeof outputKinds)[number];

/** Kind of an output file. */
export type FileKind = 'mp4' | 'webm' | 'av1' | 'hls' | 'hls-media' | 'gif' | 'webp' | 'poster' | 'poster-candidate' | 'storyboard-sprite' | 'storyboard-vtt' | 'keyframe' | 'shots' | 'curve' | 'captions' | 'chapters' | 'otio' | 'edl' | 'fcpxml' | 'report';
