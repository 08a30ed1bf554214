function fieldMatches(field: string, value: number): boolean {
  if (field === '*') return true
  if (field.startsWith('*/')) return value % Number(field.slice(2)) === 0
  return field.split(',').map(Number).includes(value)
}

/** True if a five-field cron expression of wrangler.toml (`*`, steps, lists) is due in this UTC minute. */
export function isDue(cron: string, at: Date): boolean {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = cron.split(' ')
  return (
    fieldMatches(minute, at.getUTCMinutes()) &&
    fieldMatches(hour, at.getUTCHours()) &&
    fieldMatches(day, at.getUTCDate()) &&
    fieldMatches(month, at.getUTCMonth() + 1) &&
    fieldMatches(weekday, at.getUTCDay())
  )
}
