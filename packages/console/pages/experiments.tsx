import type { Experiment, ExperimentResults } from '@vouch/client/generated/schemas';
import { call } from '../api/call.ts';
import { href } from '../api/place.ts';
import { useLoad } from '../api/useLoad.ts';
import { Bar, Empty, FaultNote, Loading, Page, Table, When } from '../parts/parts.tsx';
import { count, counted, percent } from '../parts/words.ts';

const path = '/v1/recommender/experiments';
type Arm = Experiment['arms']['a'];

/** The experiments of the organization. */
export function Experiments() {
  const { value, fault, reload } = useLoad('experiments', (stop) => call<Experiment[]>(path, { signal: stop }), () => 15_000);
  return (
    <Page title="Experiments" call={path}>
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null ? fault === null && <Loading /> : value.length === 0
        ? <Empty title="No experiment"><p>An experiment compares two models, filters, boosts or rules by what users choose. <a href="/docs/guides/recommendations#experiments">Start an experiment</a> by a request.</p></Empty>
        : (
          <Table label="Experiments" columns={['Experiment', 'Arm a', 'Arm b', 'Outcome', 'Began']}>
            {value.map(({ experiment_id: id, arms, outcome, started_at: started }) => (
              <tr key={id}>
                <th scope="row"><a href={href(['experiments', id])}>{id}</a></th>
                <td><ArmText arm={arms.a} /></td>
                <td><ArmText arm={arms.b} /></td>
                <td>{outcome.join(', ')}</td>
                <td><When at={started} /></td>
              </tr>
            ))}
          </Table>
        )}
    </Page>
  );
}

function ArmText({ arm: { model_id: model, filter, boost, rule } }: { arm: Arm }) {
  return (
    <>
      {model}
      {rule !== null && <small>rule {rule}</small>}
      {filter !== null && <small>filter <code>{filter}</code></small>}
      {boost !== null && <small>boost <code>{boost}</code></small>}
    </>
  );
}

const tones = { running: 'busy', better: 'good', worse: 'bad', no_difference: 'quiet' } as const;

/** The results of one experiment, which may be read at any time. */
export function OneExperiment({ id }: { id: string }) {
  const own = `${path}/${encodeURIComponent(id)}`;
  const { value, fault, reload } = useLoad(own, async (stop) => {
    const [results, definition] = await Promise.all([call<ExperimentResults>(`${own}/results`, { signal: stop }), call<Experiment>(own, { signal: stop })]);
    return { results, definition };
  }, () => 15_000);
  return (
    <Page title={id} call={`${own}/results`}>
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null ? fault === null && <Loading /> : <><Results results={value.results} /><Definition of={value.definition} /></>}
    </Page>
  );
}

function Results({ results: { arms, verdict, users, warnings, guardrails, counted_until: until } }: { results: ExperimentResults }) {
  const most = Math.max(arms.a.rate?.high ?? 0, arms.b.rate?.high ?? 0, 1e-9);
  return (
    <>
      <p><span class={`state ${tones[verdict.code]}`}>{verdict.code.replaceAll('_', ' ')}</span></p>
      <p>{verdict.text}</p>
      {warnings.map(({ code, detail }) => <p class="note bad" key={code}>{detail}</p>)}
      <section aria-label="Arms">
        <h2>Users with an outcome</h2>
        <dl class="metric">
          {(['a', 'b'] as const).map((arm) => <Rate key={arm} arm={arm} result={arms[arm]} most={most} />)}
        </dl>
        <p class="aside">The line is the interval that holds however often the page is read. {until === null ? 'Outcomes are not counted yet.' : <>Counted until <When at={until} />.</>}</p>
      </section>
      <section aria-label="Users">
        <h2>Users</h2>
        {users.needed === null
          ? <p>{counted(users.reached, 'user')} so far. The number that is needed is known after 20 outcomes.</p>
          : <p><Bar part={users.reached / users.needed} label="Users of those needed" /> {count(users.reached)} of about {count(users.needed)}, unless a difference shows earlier.</p>}
      </section>
      {guardrails.length > 0 && (
        <Table label="Guardrails" columns={['Guardrail', 'Arm a', 'Arm b', 'State']}>
          {guardrails.map(({ metric, types, a, b, status }) => (
            <tr key={metric + types.join(' ')}>
              <th scope="row">{metric === 'empty_lists' ? 'users with an empty list' : `users with ${types.join(', ')}`}</th>
              <td class="number">{share(a)}</td><td class="number">{share(b)}</td>
              <td><span class={`state ${status === 'broken' ? 'bad' : status === 'held' ? 'good' : 'busy'}`}>{status}</span></td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

/** What the arms are, what counts, and since when. */
function Definition({ of: { arms, mode, share: part, outcome, window_days: days, started_at: started } }: { of: Experiment }) {
  return (
    <section aria-label="Definition">
      <h2>Definition</h2>
      <Table label="Definition" columns={['Arm', 'Answers with', 'Users']}>
        {(['a', 'b'] as const).map((arm) => (
          <tr key={arm}><th scope="row">Arm {arm}</th><td><ArmText arm={arms[arm]} /></td><td class="number">{mode === 'interleaved' ? 'all' : percent(arm === 'b' ? part : 1 - part)}</td></tr>
        ))}
      </Table>
      <p class="aside">{mode === 'interleaved' ? 'Each list takes turns between the arms. ' : ''}Outcomes: {outcome.join(', ')}, within {counted(days, 'day')} after the first answer. Began <When at={started} />.</p>
    </section>
  );
}

function share({ users, affected }: { users: number; affected: number }): string {
  return users === 0 ? '—' : percent(affected / users, 1);
}

function Rate({ arm, result: { users, conversions, rate }, most }: { arm: 'a' | 'b'; result: ExperimentResults['arms']['a']; most: number }) {
  return (
    <div class={arm === 'b' ? 'own' : ''}>
      <dt>Arm {arm}</dt>
      <dd>
        <span class="interval" aria-hidden="true">
          {rate !== null && <span class="value" style={{ width: `${(100 * rate.value) / most}%` }} />}
          {rate !== null && <span class="range" style={{ left: `${(100 * rate.low) / most}%`, width: `${(100 * (rate.high - rate.low)) / most}%` }} />}
        </span>
        <span class="number" title={`${count(conversions)} of ${counted(users, 'user')}`}>{rate === null ? '—' : percent(rate.value, 1)}</span>
      </dd>
    </div>
  );
}
