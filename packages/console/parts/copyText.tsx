import { useState } from 'preact/hooks';

/** A text with a button that copies the text. */
export function CopyText({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div class="copy">
      <code tabIndex={0}>{text}</code>
      <button type="button" class="plain" onClick={() => void navigator.clipboard?.writeText(text).then(() => { setCopied(true); setTimeout(() => setCopied(false), 2_000); })}>
        {copied ? 'Copied' : label}
      </button>
    </div>
  );
}
