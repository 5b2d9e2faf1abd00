/** A taste that films and viewers of the sample share. */
export interface Community {
  name: string;
  /** Every film of the community has the first genre, some films have further genres. */
  genres: readonly [string, ...string[]];
  /** A title combines one word of each list. */
  firstWords: readonly string[];
  secondWords: readonly string[];
  /** Invented studios that mainly make films of this community. */
  makers: readonly string[];
}

/**
 * Eight tastes. Some genres belong to two tastes, as in a real library, so that genres alone do not determine the community.
 */
export const communities: readonly Community[] = [
  {
    name: 'space',
    genres: ['Science Fiction', 'Adventure', 'Action'],
    firstWords: ['Silent', 'Distant', 'Burning', 'Hollow', 'Falling', 'Second', 'Frozen', 'Last', 'Outer'],
    secondWords: ['Orbit', 'Signal', 'Colony', 'Comet', 'Horizon', 'Station', 'Moon', 'Airlock'],
    makers: ['Copper Comet Pictures', 'Tall Antenna Films', 'Nine Moons Workshop'],
  },
  {
    name: 'mystery',
    genres: ['Mystery', 'Crime', 'Drama'],
    firstWords: ['Locked', 'Missing', 'Crooked', 'Borrowed', 'Quiet', 'Poisoned', 'Third', 'Muddy', 'Hidden'],
    secondWords: ['Vicarage', 'Witness', 'Teapot', 'Ledger', 'Staircase', 'Alibi', 'Envelope', 'Orchard'],
    makers: ['Foglamp Pictures', 'Brass Keyhole Films', 'Teacup Lane Studio'],
  },
  {
    name: 'comedy',
    genres: ['Comedy', 'Family', 'Romance'],
    firstWords: ['Wobbly', 'Reluctant', 'Accidental', 'Hungry', 'Upside-Down', 'Clumsy', 'Sleepy', 'Noisy', 'Borrowed'],
    secondWords: ['Wedding', 'Plumber', 'Goose', 'Holiday', 'Landlord', 'Neighbour', 'Caravan', 'Choir'],
    makers: ['Rubber Goose Films', 'Two Left Shoes Pictures', 'Lemonade Gate'],
  },
  {
    name: 'nature',
    genres: ['Documentary', 'Nature', 'Travel'],
    firstWords: ['Wild', 'Deep', 'Northern', 'Patient', 'Painted', 'Roaming', 'Salt', 'Ancient', 'Migrating'],
    secondWords: ['Estuary', 'Glacier', 'Heron', 'Forest', 'Reef', 'Savanna', 'Tundra', 'Hive'],
    makers: ['Green Tripod Films', 'Tidepool Pictures', 'Long Lens Workshop'],
  },
  {
    name: 'fantasy',
    genres: ['Fantasy', 'Adventure', 'Family'],
    firstWords: ['Enchanted', 'Broken', 'Thorned', 'Golden', 'Forgotten', 'Winter', 'Sleeping', 'Seventh', 'Wandering'],
    secondWords: ['Crown', 'Dragon', 'Lantern', 'Throne', 'Sword', 'Kingdom', 'Wizard', 'Tower'],
    makers: ['Paper Dragon Studio', 'Old Drawbridge Pictures', 'Mossy Stone Films'],
  },
  {
    name: 'courtroom',
    genres: ['Drama', 'Crime', 'History'],
    firstWords: ['Final', 'Honest', 'Divided', 'Reasonable', 'Sworn', 'Sealed', 'Bitter', 'Second', 'Public'],
    secondWords: ['Verdict', 'Jury', 'Testimony', 'Appeal', 'Oath', 'Clause', 'Bench', 'Prosecutor'],
    makers: ['Marble Step Pictures', 'Grey Robe Films', 'Plain Evidence Studio'],
  },
  {
    name: 'horror',
    genres: ['Horror', 'Mystery', 'Thriller'],
    firstWords: ['Whispering', 'Hollow', 'Crawling', 'Pale', 'Buried', 'Midnight', 'Breathing', 'Rotten', 'Nameless'],
    secondWords: ['Cellar', 'Doll', 'Attic', 'Scarecrow', 'Mirror', 'Grave', 'Fog', 'Lullaby'],
    makers: ['Cold Doorknob Films', 'Black Turnip Pictures', 'Creaking Floor Studio'],
  },
  {
    name: 'music',
    genres: ['Musical', 'Romance', 'Comedy'],
    firstWords: ['Dancing', 'Velvet', 'Electric', 'Barefoot', 'Blue', 'Summer', 'Midnight', 'Runaway', 'Golden'],
    secondWords: ['Trumpet', 'Serenade', 'Ballroom', 'Melody', 'Chorus', 'Encore', 'Piano', 'Rhapsody'],
    makers: ['Slow Waltz Pictures', 'Bright Curtain Films', 'Tin Whistle Studio'],
  },
];

/** Patterns of titles. A comma and quotes are included on purpose, because real catalogues contain them. */
export const titlePatterns: readonly ((first: string, second: string) => string)[] = [
  (first, second) => `The ${first} ${second}`,
  (first, second) => `${first} ${second}`,
  (first, second) => `${second}, ${first}`,
  (first, second) => `A ${first} ${second}`.replace(/^A (?=[AEIOU])/, 'An '),
  (first, second) => `The "${first}" ${second}`,
];
