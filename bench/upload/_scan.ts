import { TableScanner } from '/work/main/packages/recommender/batches/scan/tableScanner.ts';
import fs from 'node:fs';
const out = fs.openSync('/tmp/up/mine.txt', 'w');
const s = new TableScanner('five.csv', { maximumBytes: 1e9, maximumRows: 1e7 }, (b) => { fs.writeSync(out, b); });
const t = performance.now();
for await (const c of fs.createReadStream('/tmp/up/five.csv')) s.push(c as Buffer);
console.log(s.end(), (performance.now() - t) / 1000, process.memoryUsage.rss() / 1e6);
