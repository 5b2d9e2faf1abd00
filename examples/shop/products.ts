/** An article of the shop. */
export interface Product {
  id: string;
  name: string;
  department: keyof typeof departments;
  color: keyof typeof colors;
  maker: string;
  /** In euros. */
  price: number;
}

/** Colors of products, as colors of their pictures. */
export const colors = { red: '#c2352b', yellow: '#d9a514', green: '#3c7d3f', blue: '#2c62a8', violet: '#7a4a9e', grey: '#6b7280' } as const;

/** Departments with the price of a plain product, and what customers use the products for. */
export const departments = {
  tents: { price: 190, use: 'camping' },
  'sleeping bags': { price: 120, use: 'camping' },
  lamps: { price: 30, use: 'camping' },
  boots: { price: 140, use: 'hiking' },
  jackets: { price: 160, use: 'hiking' },
  backpacks: { price: 95, use: 'hiking' },
  mugs: { price: 14, use: 'kitchen' },
  pans: { price: 45, use: 'kitchen' },
} as const;

const makers = ['Alder', 'Birch', 'Cedar', 'Dogwood'];
const adjectives = { red: 'Ember', yellow: 'Sunrise', green: 'Meadow', blue: 'Lake', violet: 'Dusk', grey: 'Granite' } as const;
const singular = { tents: 'tent', 'sleeping bags': 'sleeping bag', lamps: 'lamp', boots: 'boots', jackets: 'jacket', backpacks: 'backpack', mugs: 'mug', pans: 'pan' } as const;

/** The 48 products: each department has one of each color. */
export const products: readonly Product[] = (Object.keys(departments) as Product['department'][]).flatMap((department, row) =>
  (Object.keys(colors) as Product['color'][]).map((color, column) => ({
    id: `${singular[department].replace(' ', '-')}-${color}`,
    name: `${adjectives[color]} ${singular[department]}`,
    department,
    color,
    maker: makers[(row + column) % makers.length] ?? '',
    price: Math.round(departments[department].price * (0.7 + 0.15 * ((row * 5 + column * 3) % 7))),
  })));

/** The columns of a product that filters, boosts and reasons can use. */
export function metadataOf({ department, color, maker, price }: Product): Record<string, unknown> {
  return { department, use: departments[department].use, color, maker, price };
}
