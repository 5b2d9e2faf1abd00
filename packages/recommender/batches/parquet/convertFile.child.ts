import { createReadStream } from 'node:fs';
import { onMessage, send } from '@vouch/platform/process/nodeChild';
import { parseConversion, type ConversionResult } from './convertFile.messages.ts';
import { convertTable } from './convertTable.ts';

// Any error ends this process with its message: no later conversion runs after an error.
onMessage((message) => void convert(message).then(send));

async function convert(message: unknown): Promise<ConversionResult> {
  const conversion = parseConversion(message);
  const content = createReadStream(conversion.contentPath);
  try {
    return await convertTable(conversion, content);
  } finally {
    content.destroy();
  }
}
