// Writes bench/results/image.md from the steps of scripts/testImage.sh: lines of seconds, a tab, and what is done.
import { readFile } from 'node:fs/promises';
import { reportTable } from '../bench/harness/reportTable.ts';

const steps = (await readFile(process.env['STEPS'] ?? '', 'utf8')).trim().split('\n').map((line) => line.split('\t'));
await reportTable({
  name: 'image',
  title: 'The container image, built and run without a registry of images',
  command: 'npm run test:image -- --record',
  data: 'deploy/container/vouch.Dockerfile on a Debian root made by debootstrap, with Node and npm from npm',
  columns: ['seconds since the start', 'step'],
  rows: steps.map(([seconds = '', what = '']) => [seconds, what]),
  notes: [
    'Each step fails the command if it fails. In the running image, the command also checks that the program runs as user 1000, that the key file belongs to this user with mode 600, that a request without the key gets 401 and ' +
    'one with the key 200, that /docs and /console have their pages, and that SIGTERM ends the server with exit code 0.',
    'The command is not part of CI, because it takes minutes, root and four packages of Debian. CI carries out the steps of the container file in chroots on its own files (`scripts/testContainerSteps.sh`).',
  ],
});
