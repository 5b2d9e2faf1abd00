/** FFmpeg's demuxer for each supported container. The keys are the names of containers in `MediaInfo`. */
export const demuxers: Readonly<Record<string, string>> = {
  mp4: 'mov', mov: 'mov', matroska: 'matroska', webm: 'matroska', mpegts: 'mpegts', avi: 'avi', flv: 'flv', ogg: 'ogg', asf: 'asf', mpeg: 'mpeg', gif: 'gif',
};

/** FFmpeg's list of the demuxers that may open an untrusted file. */
export const demuxerList = [...new Set(Object.values(demuxers))].join(',');

/** Names of the supported containers, as the end of a sentence in an error message. */
export const containerNames = 'mp4, mov, mkv, webm, ts, avi, flv, ogg, asf, mpeg and gif';
