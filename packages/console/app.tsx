import { effect } from '@preact/signals';
import { render, type ComponentChild } from 'preact';
import { endedBecause } from './api/call.ts';
import { followLinks, href, place } from './api/place.ts';
import { findSession, session } from './api/session.ts';
import { useLoad } from './api/useLoad.ts';
import { Data } from './pages/data.tsx';
import { Experiments, OneExperiment } from './pages/experiments.tsx';
import { Gateway } from './pages/gateway.tsx';
import { Keys } from './pages/keys.tsx';
import { OneMessage } from './pages/message.tsx';
import { Models } from './pages/models.tsx';
import { OneModel } from './pages/oneModel.tsx';
import { OneRun } from './pages/oneRun.tsx';
import { Overview } from './pages/overview.tsx';
import { Rules } from './pages/rules.tsx';
import { Shell } from './pages/shell.tsx';
import { SignIn } from './pages/signIn.tsx';
import { TryIt } from './pages/tryIt.tsx';
import { Videos } from './pages/videos.tsx';
import { Empty, FaultNote, Page } from './parts/parts.tsx';

/** The page of each first part of the path; the rest of the path names one thing. */
const pages: Readonly<Record<string, (id: string | undefined) => ComponentChild>> = {
  '': () => <Overview />,
  data: () => <Data />,
  models: (id) => (id === undefined ? <Models /> : <OneModel key={id} modelId={id} />),
  try: () => <TryIt />,
  rules: () => <Rules />,
  experiments: (id) => (id === undefined ? <Experiments /> : <OneExperiment key={id} id={id} />),
  gateway: (id) => (id === undefined ? <Gateway /> : <OneMessage key={id} id={id} />),
  keys: () => <Keys />,
  videos: (id) => (id === undefined ? <Videos /> : <OneRun key={id} runId={id} />),
};

function NoPage() {
  return <Page title="No such page"><Empty title="This address has no page"><p><a href={href([])}>Overview</a></p></Empty></Page>;
}

/** Whether the address is a sign-in link, which begins a new session even during a session. */
function hasLink(): boolean {
  if (location.hash.startsWith('#sign-in=')) session.value = null;
  return session.value === null;
}

function App() {
  const found = useLoad('session', async () => { if (!hasLink()) await findSession(); });
  if (session.value === undefined) return found.fault === null ? null : <main class="sign-in"><h1>Vouch</h1><FaultNote fault={found.fault} retry={found.reload} /></main>;
  if (session.value === null) return <SignIn />;
  const [name = '', id] = place.value.path;
  return <Shell>{Object.hasOwn(pages, name) ? pages[name]?.(id) : <NoPage />}</Shell>;
}

effect(() => { if (endedBecause.value !== null) session.value = null; });
followLinks();
addEventListener('hashchange', hasLink);
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
