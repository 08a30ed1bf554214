import * as limits from '../../../src/shared/limits.ts'

/** A row of a table whose last cell names a limit: `| what | 1,000 | \`MEMORIAL_QUOTA.images\` |` */
const ROW = /^\|[^|]+\|\s*([^|]+?)\s*\|\s*`([A-Z][\w.]+)`\s*\|$/gmu
const MB = 1024 ** 2

/** Numbers that a document tells otherwise than `src/shared/limits.ts` has them, one line each. */
export function toldLimitProblems(text: string): string[] {
  const rows = [...text.matchAll(ROW)]
  if (rows.length === 0) return ['tells no limit']
  return rows.flatMap(([, told = '', name = '']) => {
    const value = name
      .split('.')
      .reduce<unknown>(
        (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
        limits,
      )
    if (typeof value !== 'number') return [`${name} is no limit`]
    return waysToTell(value).includes(told) ? [] : [`${name} is told as ${told}, and is ${value}`]
  })
}

/** A number as it is, or as bytes, milliseconds, seconds or cents: the name of a limit says which it is. */
function waysToTell(value: number): string[] {
  const told = (unit: number, name: string) => `${(value / unit).toLocaleString('en')} ${name}`
  return [
    value.toLocaleString('en'),
    told(MB, 'MB'),
    told(1024 * MB, 'GB'),
    told(limits.DAY_MS, 'days'),
    told(limits.HOUR_MS, 'hours'),
    told(60, 'minutes'),
    `$${value / 100}`,
  ]
}
