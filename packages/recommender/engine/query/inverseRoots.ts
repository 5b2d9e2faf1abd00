/** By the eigenvalues of a model, which views of the model share. */
const known = new WeakMap<Float64Array, Float64Array>();

/** Returns `value^-1/2` of each eigenvalue, 0 where the eigenvalue is not positive. Powers took most of the time of a user's vector. */
export function inverseRoots(eigenvalues: Float64Array): Float64Array {
  let roots = known.get(eigenvalues);
  if (roots === undefined) {
    roots = eigenvalues.map((value) => (value > 0 ? value ** -0.5 : 0));
    known.set(eigenvalues, roots);
  }
  return roots;
}
