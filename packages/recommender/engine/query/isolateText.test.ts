import { expect, it } from 'vitest';
import { filmData, trainOn } from '../../testing/filmData.ts';
import { withModel } from '../../testing/withModel.ts';
import { explain } from './explain.ts';
import { isolateText } from './isolateText.ts';
import { Recommender } from './recommender.ts';

it('right-to-left texts are isolated from the sentence, and directions inside a text end with it', () => {
  for (const text of ['Heat (1995)', 'İstanbul', '長い夜', '👨‍👩‍👧‍👦', 'é', '']) expect(isolateText(text)).toBe(text);
  for (const text of ['الليل الطويل 1', 'Night: הלילה', 'ދިވެހި', '𞤀𞤣𞤤𞤢𞤥', 'x\u200F']) expect(isolateText(text)).toBe(`\u2068${text}\u2069`);
  expect(isolateText('Name \u202ERTL')).toBe('Name RTL');
  expect(isolateText('\u2069\u202Eהלילה\u202C')).toBe('\u2068הלילה\u2069');
});

it('reasons isolate names, values, words and ids', async () => {
  const { nodes, ...rest } = filmData(60, 80, 5);
  const data = {
    ...rest,
    nodes: {
      ...nodes,
      names: nodes.names.map((name, node) => (node >= 60 ? name : node < 20 ? 'الليل الطويل' : '')),
      metadata: nodes.metadata.map((json) => json.replaceAll('"genre ', '"نوع ')),
    },
  };
  await withModel(trainOn(data), (reader) => {
    const recommender = new Recommender(reader);
    const texts = [0, 1, 30, 40, reader.findNode('user 003')].flatMap((node) =>
      explain(reader, node, recommender.recommend(node, { types: null, limit: 30, threshold: 0 })).flatMap((reasons) => reasons.map(({ text }) => text)));
    const named = texts.filter((text) => /\p{Script=Arabic}/u.test(text));
    expect(named.length).toBeGreaterThan(10);
    for (const text of named) expect(text.replaceAll(/\u2068[^\u2068\u2069]*\u2069/gu, '')).not.toMatch(/\p{Script=Arabic}/u);
  });
});
