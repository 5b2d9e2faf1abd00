/** Languages in which the console writes a request. */
export const languages = ['curl', 'TypeScript', 'Python'] as const;
export type Language = (typeof languages)[number];

/**
 * Writes the code that sends a GET request with an API key, which stays in the variable VOUCH_API_KEY. The code needs nothing but the language: no
 * package to install.
 */
export function requestCode(language: Language, url: string): string {
  if (language === 'curl') return `curl -H "apikey: $VOUCH_API_KEY" '${url.replaceAll("'", String.raw`'\''`)}'`;
  // A JSON string is a string of both languages.
  const text = JSON.stringify(url);
  if (language === 'TypeScript') {
    return [
      `const answer = await fetch(${text}, { headers: { apikey: process.env['VOUCH_API_KEY'] ?? '' } });`,
      'if (!answer.ok) throw new Error(await answer.text());',
      'console.log(await answer.json());',
    ].join('\n');
  }
  return [
    'import json, os, urllib.request',
    '',
    `request = urllib.request.Request(${text}, headers={"apikey": os.environ["VOUCH_API_KEY"]})`,
    'with urllib.request.urlopen(request) as answer:',
    '    print(json.load(answer))',
  ].join('\n');
}
