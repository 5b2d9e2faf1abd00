import { hangUp, hearParent, tellParent } from '@vouch/platform/process/nodeParent';
import { parseConversion } from './convertFile.messages.ts';
import { convertTable } from './convertTable.ts';

hearParent((message) => {
  void convertTable(parseConversion(message), process.stdin)
    .then(tellParent)
    .then(hangUp)
    // Unread input would keep this process alive.
    .then(() => process.stdin.destroy());
});
