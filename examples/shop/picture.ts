import { colors, type Product } from './products.ts';

/** Outlines of the departments' products in a square of 100 × 100. */
const outlines: Readonly<Record<Product['department'], string>> = {
  tents: '<path d="M50 20 92 82H8z"/><path d="M50 42 64 82H36z" fill="#0006"/>',
  'sleeping bags': '<rect x="30" y="14" width="40" height="74" rx="20"/><ellipse cx="50" cy="30" rx="12" ry="9" fill="#0006"/>',
  lamps: '<path d="M36 30h28l6 44H30z"/><path d="M38 22a12 12 0 0 1 24 0" fill="none" stroke="#0009" stroke-width="4"/><rect x="28" y="74" width="44" height="10" rx="3"/>',
  boots: '<path d="M32 16h24v38l28 14v14H28z"/><rect x="26" y="82" width="60" height="8" fill="#0009"/>',
  jackets: '<path d="M36 16h28l22 18-10 18-8-6v40H32V46l-8 6-10-18z"/><path d="M50 18v68" stroke="#0009" stroke-width="3"/>',
  backpacks: '<rect x="26" y="24" width="48" height="64" rx="14"/><rect x="34" y="56" width="32" height="24" rx="5" fill="#0005"/><path d="M40 24a10 10 0 0 1 20 0" fill="none" stroke="#0009" stroke-width="4"/>',
  mugs: '<rect x="24" y="28" width="42" height="54" rx="6"/><path d="M66 40h8a12 12 0 0 1 0 28h-8" fill="none" stroke="#0009" stroke-width="6"/>',
  pans: '<circle cx="42" cy="50" r="30"/><circle cx="42" cy="50" r="21" fill="#0005"/><rect x="70" y="46" width="28" height="8" rx="4" fill="#0009"/>',
};

/** Draws a product as SVG. */
export function drawPicture({ department, color }: Product): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" fill="${colors[color]}"><rect width="100" height="100" fill="#eef1f4"/>${outlines[department]}</svg>`;
}
