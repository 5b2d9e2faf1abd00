/** Name of the jobs that make a summarization. */
export const summarizeKind = 'video.summarize';

/** Its stages in order; JSON objects of the database have no order of their own. */
export const stageNames = ['download', 'probe', 'analyse', 'select', 'render'] as const;
export type StageName = (typeof stageNames)[number];
