/** Name of the jobs that make a summarization. */
export const summarizeKind = 'video.summarize';
