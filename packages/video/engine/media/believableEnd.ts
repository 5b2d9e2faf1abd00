/**
 * Latest time that is believed of anything in the file, seconds. Headers are a little wrong and streams outlast one
 * another, but one wrong timestamp must not become days of silence or of a still picture: half as much again and a minute,
 * or an hour where the length is unknown.
 * @param duration length in the header of the file, seconds; 0 if the header has none
 */
export function believableEnd(duration: number): number {
  return duration > 0 ? duration * 1.5 + 60 : 3600;
}
