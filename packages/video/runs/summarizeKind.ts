/** Kind of the jobs of summarizations. */
export const summarizeKind = 'video.summarize';

/** Stages of a summarization, in order; JSON objects in the database have no order. */
export const stageNames = ['download', 'probe', 'analyse', 'subtitles', 'select', 'render'] as const;
export type StageName = (typeof stageNames)[number];
