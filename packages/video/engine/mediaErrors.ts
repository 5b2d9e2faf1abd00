import { defineErrors } from '@vouch/platform/errors/problem';

/** Codes of media that cannot be summarized. Retired codes are never used again. */
export const mediaErrors = defineErrors({
  'media-empty': {
    status: 422,
    title: 'The media file is empty',
    cause: 'The file has no bytes.',
    remedy: 'Check that the address or path leads to the video itself.',
  },
  'not-media': {
    status: 422,
    title: 'The file is not a video',
    cause: 'Its first bytes are those of a web page, a text, a picture, an archive or of nothing known.',
    remedy: 'Give the address of the media file itself, not of the page that plays it.',
  },
  'playlist-refused': {
    status: 422,
    title: 'Playlists are not read',
    cause: 'The file is a playlist (HLS, DASH, ffconcat or another list of addresses). Playlists name further files and addresses, and a live one never ends.',
    remedy: 'Give the address of one complete media file: mp4, mov, mkv, webm, ts, avi, flv, ogg, asf or mpeg.',
  },
  'unsupported-container': {
    status: 422,
    title: 'The container of the file is not supported',
    cause: 'It is media, but not in one of the containers that are read: mp4, mov, mkv, webm, ts, avi, flv, ogg, asf, mpeg.',
    remedy: 'Put the streams into one of them, for example `ffmpeg -i in.xyz -c copy out.mkv`.',
  },
  'damaged-media': {
    status: 422,
    title: 'The media file is damaged',
    cause: 'The container cannot be read to its streams, or no picture of it can be decoded; often the file is cut off.',
    remedy: 'Check that the file plays and is complete, and send the request again.',
  },
  'no-video-stream': {
    status: 422,
    title: 'The file has no pictures to summarize',
    cause: 'It has no video stream; the cover of a song is not one.',
    remedy: 'Give a file with a video stream.',
  },
  'unsupported-codec': {
    status: 422,
    title: 'The codec of the video is not supported',
    cause: 'The decoder in use does not know the codec of the video stream.',
    remedy: 'Convert the file to H.264, HEVC, VP8, VP9 or AV1. `vouch doctor` says which decoder is in use.',
  },
  'picture-too-large': {
    status: 422,
    title: 'The pictures of the video are too large',
    cause: 'One picture has more pixels than the limit; a small file may claim any size and cost any memory.',
    remedy: 'Convert the file to a smaller picture, at most 36 million pixels.',
  },
  'media-too-long': {
    status: 422,
    title: 'The video is too long',
    cause: 'Its duration is over the setting VOUCH_VIDEO_MAX_SECONDS.',
    remedy: 'Split the file, or let the operator raise the setting.',
  },
  'media-too-short': {
    status: 422,
    title: 'The video is too short',
    cause: 'It has fewer than two pictures, so there is nothing to preview.',
    remedy: 'Give a video, not a picture.',
  },
  'decoder-failed': {
    status: 422,
    title: 'The decoder failed on this file',
    cause: 'The decoder crashed or gave up on the file. It runs in a process of its own, so nothing else is touched.',
    remedy: 'Check that the file plays elsewhere. Converting it again with a current encoder often helps.',
  },
  'decoder-missing': {
    status: 500,
    title: 'There is nothing to read videos with',
    cause: 'Neither is an ffmpeg of 5.1 or newer installed, nor can the FFmpeg libraries of the npm package node-av be loaded.',
    remedy: 'Run `vouch doctor`. Install ffmpeg, or run `npm ci` again with optional packages; then start the run again.',
  },
  'media-limit': {
    status: 422,
    title: 'The video needs more than one run may use',
    cause: 'Decoding or encoding went over the limit of memory, processor time, time or disk of one run.',
    remedy: 'Use a lower tier in `options.analysis`, a smaller file, or let the operator raise the limits of the video settings.',
  },
  'nothing-left': {
    status: 422,
    title: 'The options leave nothing to choose from',
    cause: 'After exclude_start, exclude_end, exclude_ranges and the technical exclusions no segment of the minimum length is left.',
    remedy: 'Exclude less, or lower min_segment_duration.',
  },
});
