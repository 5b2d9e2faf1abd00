import { defineErrors } from '@vouch/platform/errors/problem';

/** Error codes of media that cannot be summarized. Removed codes are never reused. */
export const mediaErrors = defineErrors({
  'media-empty': {
    status: 422,
    title: 'The media file is empty',
    cause: 'The file contains no bytes.',
    remedy: 'Check that the URL or path leads to the video.',
  },
  'not-media': {
    status: 422,
    title: 'The file is not a video',
    cause: 'The file begins like a web page, a text, an image, an archive or an unknown format.',
    remedy: 'Use the URL of the media file, not the URL of the page that plays it.',
  },
  'playlist-refused': {
    status: 422,
    title: 'The playlist is not supported',
    cause: 'Vouch reads HLS and DASH playlists of complete recordings from their http, https or s3 URL. This playlist is live, encrypted, damaged or too large, joins several recordings, is an upload or a local file, or is another list of URLs, for example an ffconcat script.',
    remedy: 'Use the URL of the playlist of a complete, unencrypted recording, or of one complete media file: mp4, mov, mkv, webm, ts, avi, flv, ogg, asf, mpeg or gif.',
  },
  'unsupported-container': {
    status: 422,
    title: 'The container format is not supported',
    cause: 'The file is media, but its container is not one of mp4, mov, mkv, webm, ts, avi, flv, ogg, asf, mpeg and gif.',
    remedy: 'Copy the streams into a supported container, for example `ffmpeg -i in.xyz -c copy out.mkv`.',
  },
  'damaged-media': {
    status: 422,
    title: 'The media file is damaged',
    cause: 'The container cannot be parsed, or no frame can be decoded. Often the file is truncated.',
    remedy: 'Check that the file is complete and plays, then send the request again.',
  },
  'no-video-stream': {
    status: 422,
    title: 'The file has no video stream',
    cause: 'The file contains no video stream. The cover image of an audio file does not count.',
    remedy: 'Use a file with a video stream.',
  },
  'unsupported-codec': {
    status: 422,
    title: 'The video codec is not supported',
    cause: 'The decoder does not support the codec of the video stream.',
    remedy: 'Convert the file to H.264, HEVC, VP8, VP9 or AV1. `vouch doctor` names the decoder.',
  },
  'picture-too-large': {
    status: 422,
    title: 'The frames of the video are too large',
    cause: 'A frame has more pixels than the limit. Vouch has this limit because even a small file can declare a frame size that exhausts the memory.',
    remedy: 'Convert the video to a smaller frame size, at most 36 million pixels.',
  },
  'media-too-long': {
    status: 422,
    title: 'The video is too long',
    cause: 'The duration of the video exceeds VOUCH_VIDEO_MAX_SECONDS.',
    remedy: 'Split the video, or ask the operator to raise the setting.',
  },
  'media-too-short': {
    status: 422,
    title: 'The video is too short',
    cause: 'The video has fewer than two frames.',
    remedy: 'Use a video, not an image.',
  },
  'decoder-failed': {
    status: 422,
    title: 'The decoder failed',
    cause: 'The decoder crashed or stopped at this file. The decoder is a separate process, so other runs were not affected.',
    remedy: 'Check that the file plays in another program. Encoding the file again with a current encoder often helps.',
  },
  'decoder-interrupted': {
    status: 503,
    title: 'The decoder was ended from outside',
    cause: 'Something ended the decoder or encoder in each of three attempts, for example the kernel, because the machine had no memory left. One such end only repeats the run.',
    remedy: 'Read the system log for the time of the run, free memory on the server or lower `VOUCH_VIDEO_CONCURRENCY`, then start the run again.',
  },
  'decoder-missing': {
    status: 500,
    title: 'No video decoder is installed',
    cause: 'ffmpeg 5.1 or newer is not installed, and the FFmpeg libraries of the npm package node-av cannot be loaded.',
    remedy: 'Install ffmpeg, or run `npm ci` with optional packages, then start the run again. `vouch doctor` gives details.',
  },
  'encoder-missing': {
    status: 422,
    title: 'The server cannot encode a requested output',
    cause: 'The FFmpeg of the server has no encoder for an output in `options.outputs`, for example for AV1, the encoder does not support the frame size, or captions cannot be drawn (`options.burn_captions`) without the filter `ass` or without fonts.',
    remedy: 'Remove the output. Operators can install an ffmpeg with the encoder (AV1: libsvtav1 or libaom-av1) or with libass, and fonts, or set FFMPEG_PATH=none to use the libraries of the npm package node-av.',
  },
  'media-limit': {
    status: 422,
    title: 'The video exceeds the limits of a run',
    cause: 'Decoding or encoding exceeded the limit of memory, processor time, wall time or disk space of a run.',
    remedy: 'Use a lower tier in `options.analysis` or a smaller file, or ask the operator to raise the limits in the video settings.',
  },
  'nothing-left': {
    status: 422,
    title: 'The options leave no segment',
    cause: 'After `exclude_start`, `exclude_end`, `exclude_ranges` and the technical exclusions, no segment of the minimum length is left.',
    remedy: 'Exclude less, or lower `min_segment_duration`.',
  },
});
