import { expect, it } from 'vitest';
import { trainingData, type EntityRow } from '../../testing/testData.ts';
import { surveyTexts } from './surveyTexts.ts';

/** People whose metadata and names would be found. */
const people = (count: number): EntityRow[] => Array.from({ length: count }, (_, at) => [`user ${at}`, 'user', 'JosÃ©', { income: `$${at}.50`, languages: 'French|English' }]);

function survey(metadata: (at: number) => object, name: (at: number) => string = () => '', count = 100): ReturnType<typeof surveyTexts> {
  const each = Array.from({ length: count }, (_, at) => at);
  const entities = each.map((at): EntityRow => [String(at), 'film', name(at), metadata(at)]);
  return surveyTexts(trainingData([...entities, ...people(100)], [['user 0', '0'], ['user 1', '0']]));
}

it('finds numbers, truth values, dates and lists that are texts', () => {
  const genres = ['Drama', 'Comedy', 'Horror'];
  expect(survey((at) => ({
    dollars: `$${at}.50`, euros: `1.${100 + at},50 €`, plain: `${at}.5`, year: `${1900 + at}`, sold: at % 2 === 0 ? 'True' : 'false', released: `${1 + (at % 28)}/12/1999`,
    genres: genres.slice(at % 3).join('|'), tags: genres.slice(at % 2).join(', '), stock: at === 7 ? 'n/a' : at,
  })).texts).toEqual([
    { column: 'dollars', form: 'number', example: '$0.50' }, { column: 'euros', form: 'number', example: '1.100,50 €' }, { column: 'genres', form: 'list', example: 'Drama|Comedy|Horror' },
    { column: 'plain', form: 'number', example: '0.5' }, { column: 'released', form: 'date', example: '1/12/1999' }, { column: 'sold', form: 'bool', example: 'True' },
    { column: 'stock', form: 'mixed', example: 'n/a' }, { column: 'tags', form: 'list', example: 'Drama, Comedy, Horror' }, { column: 'year', form: 'number', example: '1900' },
  ]);
});

it('finds nothing in values of their types, in words, names, sentences and codes', () => {
  expect(survey((at) => ({
    price: at + 0.5, sold: at % 2 === 0, genres: ['Drama', 'Comedy'], released: '2026-01-05', at: '2026-01-05T10:00:00Z', maker: `Maker ${at}`, isbn: `${9_783_161_484_100 + at}`, zip: `0${1000 + at}`,
    author: `Surname${at}, Name${at}`, text: `A film, made in ${1900 + at}, about ${at} people; it is good.`, grade: at % 2 === 0 ? 'A' : 'B', some: at < 10 ? '12' : undefined,
  }))).toEqual({});
});

it('finds names with broken characters', () => {
  const names = ['CafÃ©', 'Tom &amp; Jerry', 'Itâ€™s', 'A\ufffdB', 'Café', 'Tom & Jerry', 'São Paulo', 'SÃO PAULO', 'R&amplifier', 'Â'];
  expect(survey(() => ({}), (at) => names[at] ?? '', names.length)).toEqual({ garbled_names: { count: 4, example: 'CafÃ©' } });
});

it('leaves out people, also those without interactions, and people who choose people', () => {
  expect(surveyTexts(trainingData(people(100), [['user 0', 'user 1']]))).toEqual({});
});
