import { signal } from '@preact/signals';
import { CopyText } from './copyText.tsx';
import { languages, requestCode, type Language } from './requestCode.ts';

/** The language that the reader chose last, on any page. */
const chosen = signal<Language>('curl');

/** The request behind a screen, as code to copy. @param path path and query of a GET request of the public interface */
export function ApiCall({ path }: { path: string }) {
  return (
    <details class="api-call">
      <summary>API call</summary>
      <div class="row" role="group" aria-label="Language">
        {languages.map((language) => (
          <button key={language} type="button" class="plain" aria-pressed={chosen.value === language} onClick={() => { chosen.value = language; }}>{language}</button>
        ))}
      </div>
      <CopyText text={requestCode(chosen.value, location.origin + path)} label={`Copy as ${chosen.value}`} />
    </details>
  );
}
