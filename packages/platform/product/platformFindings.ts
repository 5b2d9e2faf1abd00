import { defineFindings } from './findings.ts';

/** Findings about the machine, the settings, the database, the store of files, jobs and callbacks. */
export const platformFindings = defineFindings({
  'configuration-invalid': {
    status: 'fault', title: 'Settings are invalid',
    cause: 'A setting is unknown, out of its range or contradicts another setting. Neither `vouch serve` nor `vouch worker` starts, and the doctor skips the checks that need the settings.',
    remedy: 'Correct the named settings.',
  },
  'node-too-old': {
    status: 'fault', title: 'Node is too old', cause: 'Vouch uses functions that older releases of Node do not have.',
    remedy: 'Install Node 20.19 or newer; the current LTS is recommended.',
  },
  'data-folder-is-file': { status: 'fault', title: 'The data folder is a file', cause: '`VOUCH_DATA`, or a parent folder of it, is the path of a file.', remedy: 'Set VOUCH_DATA to a folder.' },
  'data-folder-unwritable': {
    status: 'fault', title: 'The data folder cannot be written', cause: 'The user that runs Vouch has no write access, for example because root made the folder.',
    remedy: 'Give this user write access, or set VOUCH_DATA to another folder.',
  },
  'scratch-unwritable': {
    status: 'fault', title: 'The folder for temporary files cannot be written', cause: 'An earlier start by another user, such as root, made the folder `scratch` in the data folder. Uploads and jobs fail.',
    remedy: 'Make this user the owner of the folder scratch and its content (chown -R).',
  },
  'disk-full': {
    status: 'fault', title: 'The disk is full', cause: 'Less than 200 MB are free. PostgreSQL stops when it cannot write.',
    remedy: 'Free space, or set VOUCH_DATA to a folder on a larger disk.',
  },
  'disk-low': {
    status: 'warning', title: 'The disk is nearly full', cause: 'Less than 2 GB are free.',
    remedy: 'Uploads and trainings need space for copies. Free space, or use a larger disk.',
  },
  'data-folder-open': {
    status: 'warning', title: 'Other users can read the data folder', cause: 'The mode of the folder gives access to other users of the machine. The folder contains uploaded data and secrets.',
    remedy: 'As the owner, run chmod 700 on the folder. If a volume sets the mode, mount the volume with mode 0700.',
  },
  'port-unusable': {
    status: 'fault', title: 'The server cannot listen', cause: '`HOST` is not an IP address of the machine, or the user may not use the port (below 1024).',
    remedy: 'Set HOST to an IP address of this machine and PORT to a number above 1023.',
  },
  'port-in-use': {
    status: 'fault', title: 'Another program uses the port', cause: 'A program that is not `vouch serve` with this data folder listens on the port.',
    remedy: 'Set PORT to a free port (0: any), or stop the other program.',
  },
  crashed: {
    status: 'warning', title: 'The server or a worker crashed',
    cause: 'A process of this data folder ended unexpectedly within the last 24 hours. After SIGKILL, the cause is most often that the machine ran out of memory.',
    remedy: 'After SIGKILL, read the system log (dmesg) and add memory, or run trainings on another machine. Otherwise report the crash with the file that `vouch support-bundle` writes.',
  },
  'traces-refused': {
    status: 'warning', title: 'The collector does not take traces',
    cause: 'The collector of `OTEL_EXPORTER_OTLP_ENDPOINT` does not answer within 5 s, refuses the headers of `OTEL_EXPORTER_OTLP_HEADERS`, or has no receiver for OTLP over HTTP. Traces are lost; requests and jobs are not affected.',
    remedy: 'Start the collector, or correct the variables. The port for OTLP over HTTP is usually 4318; 4317 is that for gRPC.',
  },
  'postgres-unavailable': {
    status: 'fault', title: 'PostgreSQL cannot be used', cause: '`DATABASE_URL` is wrong, its server does not answer, or the embedded PostgreSQL does not start. All checks that need the database are skipped.',
    remedy: 'Fix the problem that the message describes, then run vouch doctor again.',
  },
  'migrations-pending': {
    status: 'warning', title: 'The tables are not up to date', cause: 'No server of this version has started yet: the installation is new, or a newer version was installed.',
    remedy: 'Start vouch serve or run vouch migrate; both update the tables.',
  },
  'store-refused': {
    status: 'fault', title: 'The object store refuses requests', cause: 'The store answers with an S3 error code: wrong bucket, key, secret, region or clock. Uploads, trainings and runs fail.',
    remedy: 'Correct the setting that the message names.',
  },
  'store-foreign': {
    status: 'fault', title: 'The store of files belongs to another installation',
    cause: 'Another database is recorded as the owner of the bucket or folder. Each of two installations would remove the files of the other, so the server does not start.',
    remedy: 'Check DATABASE_URL, and give each installation a separate bucket or data folder. If the other database no longer exists, run vouch blobs claim.',
  },
  'store-disputed': {
    status: 'warning', title: 'A copy of the database used the store', cause: 'A database restored from a backup, or a copied database, used the same bucket or folder. Nothing is deleted from the store.',
    remedy: 'Stop all servers and workers on the other copy, then run vouch blobs claim with the database that should own the store. A database restored from a backup is a copy too.',
  },
  'store-unowned': {
    status: 'warning', title: 'The store has no owner and contains unknown files', cause: 'The bucket or folder contains files that this database does not name. Nothing is deleted from the store.',
    remedy: 'If no other installation uses the store, run vouch blobs claim, which also shows the number of these files.',
  },
  'files-missing': {
    status: 'fault', title: 'Files that the database names are missing', cause: 'A server or worker uses another bucket or folder than the others, or files were deleted.',
    remedy: 'Give every server and worker of this database the same VOUCH_S3_BUCKET; without one, a worker takes the VOUCH_DATA of its server. Where files were deleted, bring them back from a backup.',
  },
  'files-damaged': {
    status: 'fault', title: 'Stored files are damaged', cause: 'The content of a file does not match the hash in its name: the disk is faulty, or something else changed or truncated the file. Vouch never writes to a stored file.',
    remedy: 'Bring the file back from a backup, or replace what uses it: train the model again, upload the file again and delete the old batch, or delete the run. Check the disk. vouch backup reads every file.',
  },
  'clocks-differ': {
    status: 'fault', title: 'Clocks differ', cause: 'The clock of this machine and the clock of the database or the object store differ by more than five seconds.',
    remedy: 'Synchronize both clocks with NTP: signatures of callbacks and of S3 requests, and ages of interactions, depend on the time.',
  },
  'addresses-open': {
    status: 'warning', title: 'Requests may reach private IP addresses', cause: '`VOUCH_ALLOW_PRIVATE_ADDRESSES` is `true`, so everybody with an API key can make the server call addresses of your network.',
    remedy: 'Unless everyone with an API key may call your network, set VOUCH_ALLOW_PRIVATE_ADDRESSES to a list of allowed host:port pairs.',
  },
  'job-stuck': {
    status: 'warning', title: 'A job makes no progress', cause: 'No worker runs the job, its worker died, other processes use the CPU, or the job hangs. The message states which.',
    remedy: 'Start vouch serve or vouch worker. If one runs, check network, disk and memory of its machine, or cancel the job.',
  },
  'callbacks-failing': {
    status: 'warning', title: 'Callbacks fail again and again', cause: 'Receivers answer with errors, not at all, or without a valid certificate. The message names them with the latest reason.',
    remedy: 'Correct the receiver; Vouch tries each callback for 24 hours. `vouch webhooks list` shows all callbacks, and `vouch webhooks redeliver` sends one at once. For another URL, start the training or run again with that one.',
  },
  'callbacks-given-up': {
    status: 'warning', title: 'Callbacks were not delivered', cause: 'Receivers answered with errors or not at all until all attempts were used, within the last seven days.',
    remedy: '`vouch webhooks list` shows the reasons. Correct the receiver, then send a callback again with `vouch webhooks redeliver`.',
  },
  'check-failed': {
    status: 'fault', title: 'A check failed', cause: 'The check itself ended with an error, for example because the database stopped meanwhile.',
    remedy: 'Fix the problem that the message describes, then run vouch doctor again.',
  },
});
