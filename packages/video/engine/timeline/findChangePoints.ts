/**
 * Finds the change points of a sequence: kernel temporal segmentation with the linear kernel (Potapov, Douze, Harchaoui,
 * Schmid, "Category-specific video summarization", ECCV 2014). For each number of changes m, dynamic programming finds the
 * split with the least scatter within the parts. The result is the split with the least scatter / n + penalty · (m / n) ·
 * (log(n / m) + 1), for n rows.
 *
 * @param rows `count` feature vectors of `width` values each
 * @param least minimum number of rows of a part
 * @param penalty scatter that one change has to save
 * @returns first row of each part except the first part, ascending. The time is O(count² · (width + count / least)).
 */
export function findChangePoints(rows: Float32Array, width: number, least: number, penalty: number): number[] {
  const count = rows.length / width;
  const most = Math.floor(count / least) - 1;
  if (most < 1) return [];
  const scatter = scatterTable(rows, width, count);
  const cost = new Float64Array((most + 1) * (count + 1)).fill(Number.POSITIVE_INFINITY);
  const from = new Uint32Array(cost.length);
  for (let end = least; end <= count; end++) cost[end] = scatter[end]!;
  let best = 0;
  const whole = cost[count]!;
  let bestValue = whole / count;
  for (let changes = 1; changes <= most; changes++) {
    const row = changes * (count + 1);
    for (let end = (changes + 1) * least; end <= count; end++) {
      for (let start = changes * least; start <= end - least; start++) {
        const value = cost[row - count - 1 + start]! + scatter[start * (count + 1) + end]!;
        if (value >= cost[row + end]!) continue;
        cost[row + end] = value;
        from[row + end] = start;
      }
    }
    const within = cost[row + count]!;
    const value = (within + penalty * changes * (Math.log(count / changes) + 1)) / count;
    if (value < bestValue - 1e-9) {
      bestValue = value;
      best = changes;
    }
  }
  return traceBack(from, best, count);
}

function traceBack(from: Uint32Array, changes: number, count: number): number[] {
  const points: number[] = [];
  for (let end = count, left = changes; left > 0; left--) {
    end = from[left * (count + 1) + end]!;
    points.push(end);
  }
  return points.toReversed();
}

/** Table of the scatter of rows start … end − 1 at [start · (count + 1) + end]: the sum of squared distances to their mean. */
function scatterTable(rows: Float32Array, width: number, count: number): Float64Array {
  const table = new Float64Array((count + 1) * (count + 1));
  const sum = new Float64Array(width);
  for (let start = 0; start < count; start++) {
    sum.fill(0);
    let squares = 0;
    for (let end = start + 1; end <= count; end++) {
      let squaredSum = 0;
      for (let index = 0, place = (end - 1) * width; index < width; index++, place++) {
        const value = rows[place]!;
        squares += value * value;
        sum[index] = sum[index]! + value;
        squaredSum += sum[index]! * sum[index]!;
      }
      table[start * (count + 1) + end] = Math.max(0, squares - squaredSum / (end - start));
    }
  }
  return table;
}
