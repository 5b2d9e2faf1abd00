import type { RulePreview } from '@vouch/client/generated/schemas';
import { Table } from './parts.tsx';
import { count, counted, percent } from './words.ts';

/** What a rule would have changed in the latest answers. */
export function Preview({ preview }: { preview: RulePreview }) {
  const { answers, changed, lists_emptied: emptied, items_removed: removed, items_added: added, items_moved: moved, mean_overlap: overlap } = preview;
  return (
    <div role="status" aria-label="Preview">
      <h2>Preview</h2>
      {answers === 0
        ? <p>No answer is recorded yet, so there is nothing to compare. Servers record the answers to requests for recommendations.</p>
        : (
          <p>
            Of the latest {counted(answers, 'answer')}, the rule would have changed {count(changed)}: lists lose {counted(removed, 'item')}, gain {count(added)} and have {count(moved)} at
            other ranks. {overlap !== null && <>On average, {percent(overlap)} of a list stays. </>}{counted(emptied, 'list')} would be empty.
          </p>
        )}
      {preview.warnings.map(({ model_id: id, detail }) => <p class="note bad" key={id}>{id}: {detail}</p>)}
      {preview.removed_items.length > 0 && (
        <Table label="Removed items" columns={['Removed item', 'Lists']}>
          {preview.removed_items.slice(0, 10).map(({ id, name, lists }) => <tr key={id}><th scope="row">{name ?? id}</th><td class="number">{count(lists)}</td></tr>)}
        </Table>
      )}
    </div>
  );
}
