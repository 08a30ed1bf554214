/**
 * Two-sided p-value of the Mann-Whitney U test: how likely two samples of one distribution would lie as far apart as these
 * do. Normal approximation with correction for ties, good from 20 values each (Mann and Whitney 1947).
 */
export function mannWhitneyP(one: readonly number[], two: readonly number[]): number {
  const all = [...one.map((value) => ({ value, own: true })), ...two.map((value) => ({ value, own: false }))]
  all.sort((a, b) => a.value - b.value)
  let rankSum = 0
  let ties = 0
  for (let from = 0; from < all.length;) {
    let to = from
    while (to < all.length && all[to]?.value === all[from]?.value) to++
    const rank = (from + 1 + to) / 2
    rankSum += rank * all.slice(from, to).filter(({ own }) => own).length
    ties += (to - from) ** 3 - (to - from)
    from = to
  }
  const [n, m, total] = [one.length, two.length, all.length]
  const u = rankSum - (n * (n + 1)) / 2
  const deviation = Math.sqrt(((n * m) / 12) * (total + 1 - ties / (total * (total - 1))))
  if (deviation === 0) return 1
  const z = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5) / deviation
  return erfc(z / Math.SQRT2)
}

/** The complementary error function to seven digits: Abramowitz and Stegun, 7.1.26. */
function erfc(x: number): number {
  const t = 1 / (1 + 0.3275911 * x)
  const series = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429]
  return series.reduceRight((sum, factor) => (sum + factor) * t, 0) * Math.exp(-x * x)
}
