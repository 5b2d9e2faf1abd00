/**
 * Latest plausible time in a file, seconds. Headers are slightly wrong and streams differ in length, but one wrong timestamp
 * must not lead to days of silence or of a still picture. The limit is therefore 1.5 times the duration plus one minute, or
 * one hour if the duration is unknown.
 * @param duration length in the header of the file, seconds; 0 if the header has none
 */
export function believableEnd(duration: number): number {
  return duration > 0 ? duration * 1.5 + 60 : 3600;
}
