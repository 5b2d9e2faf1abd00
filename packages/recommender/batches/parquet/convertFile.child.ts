import { disconnect, onMessage, send } from '@vouch/platform/process/nodeChild';
import { parseConversion } from './convertFile.messages.ts';
import { convertTable } from './convertTable.ts';

onMessage((message) => {
  void convertTable(parseConversion(message), process.stdin)
    .then(send)
    .then(disconnect)
    // Unread input would keep this process running.
    .then(() => process.stdin.destroy());
});
