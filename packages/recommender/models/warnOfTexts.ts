import type { DataSummary, TextSurvey } from './arrays/trainingSnapshot.ts';
import type { TrainingWarning } from './training/training.schema.ts';

type Form = NonNullable<TextSurvey['texts']>[number]['form'];

/** What to write instead, in the order in which a warning names the forms. */
const forms: Readonly<Record<Form, string>> = {
  number: 'texts that are numbers; write 12.5', mixed: 'numbers and texts, so all are texts; omit values that are not known', bool: 'texts that are truth values; write true or false',
  date: 'dates in another form; write 2026-01-31', list: 'lists in one text; write ["Drama","Crime"]',
};

/** Returns warnings of metadata and names whose texts most likely mean something else than they say. */
export function warnOfTexts({ entities: { texts = [], garbled_names: garbled } }: DataSummary): TrainingWarning[] {
  const warnings: TrainingWarning[] = [];
  if (texts.length > 0) {
    const found = (Object.keys(forms) as Form[]).flatMap((form) => {
      const columns = texts.filter((text) => text.form === form).map(({ column, example }) => `item.${column} (${JSON.stringify(example)})`);
      return columns.length === 0 ? [] : [`${columns.slice(0, 5).join(', ')}${columns.length > 5 ? ', …' : ''}: ${forms[form]}.`];
    });
    warnings.push({
      code: 'texts-in-metadata',
      detail: `Some columns of metadata are texts, so filters and boosts cannot compare them as numbers, dates or lists, and items are similar only if the texts are equal or have words in common. ${found.join(' ')} Columns of codes may stay texts.`,
    });
  }
  if (garbled !== undefined) {
    warnings.push({
      code: 'garbled-names',
      detail: `${garbled.count} ${garbled.count === 1 ? 'name has' : 'names have'} characters of another encoding or of HTML, such as ${JSON.stringify(garbled.example)}. Lists and reasons show them as they are. Export the file as UTF-8, without character references such as &amp;.`,
    });
  }
  return warnings;
}
