// Adds two kinds of missing entries to package-lock.json: optional platform builds that a registry lacks (npm then omits them
// from the lock, and `npm ci` rejects the lock on other platforms), and packages that an override excludes on all platforms. With
// --check, only reports missing entries and exits with code 1 if there are any.
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const operatingSystems = { linux: 'linux', darwin: 'darwin', win32: 'win32', windows: 'win32', android: 'android', freebsd: 'freebsd', openharmony: 'openharmony' };
const processors = ['arm64', 'x64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x'];

/** Returns `os` and `cpu` as given in the name of a platform build, e.g. `@scope/thing-linux-arm64-musl`. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const os = words.map((word) => operatingSystems[word]).find(Boolean);
  const cpu = processors.find((word) => words.includes(word)) ?? (words.includes('amd64') ? 'x64' : undefined);
  return os && cpu ? { os: [os], cpu: [cpu] } : undefined;
}

const missing = [];
for (const [parent, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const known = Object.keys(lock.packages).some((key) => key === `node_modules/${name}` || key.endsWith(`/node_modules/${name}`));
    const platform = platformOf(name);
    if (known || !platform) continue;
    missing.push(`${name}@${version} of ${parent}`);
    lock.packages[`node_modules/${name}`] = { version, cpu: platform.cpu, optional: true, os: platform.os };
  }
}

// An override to a version `…-none`, which exists in no registry, excludes a package. npm ci requires an entry in the lock, but
// installs nothing, because the entry names an operating system that no machine has.
const { overrides } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
for (const [name, version] of Object.entries(overrides)) {
  if (!version.endsWith('-none') || lock.packages[`node_modules/${name}`] !== undefined) continue;
  missing.push(`${name}@${version} of the overrides`);
  lock.packages[`node_modules/${name}`] = { version, optional: true, os: ['none'] };
}

if (process.argv.includes('--check')) {
  if (missing.length > 0) console.error(`package-lock.json lacks ${missing.join(', ')}; run: npm run lock`);
  process.exit(missing.length > 0 ? 1 : 0);
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(missing.length === 0 ? 'package-lock.json is complete' : `added ${missing.join(', ')}`);
