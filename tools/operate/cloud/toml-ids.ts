/**
 * Sets one key of a table to a quoted value and changes no other byte, so that the operator's comments and order survive.
 * Throws an Error if the table or the key is missing.
 */
export function withValue(toml: string, table: string, key: string, value: string): string {
  const lines = toml.split('\n')
  const head = lines.findIndex((line) => line.trim() === `[[${table}]]` || line.trim() === `[${table}]`)
  if (head < 0) throw new Error(`wrangler.toml has no [[${table}]]`)
  const next = lines.findIndex((line, index) => index > head && line.trim().startsWith('['))
  const end = next < 0 ? lines.length : next
  const at = lines.findIndex(
    (line, index) => index > head && index < end && new RegExp(`^\\s*${key}\\s*=`, 'u').test(line),
  )
  if (at < 0) throw new Error(`[[${table}]] in wrangler.toml has no ${key}`)
  lines[at] = (lines[at] ?? '').replace(/=\s*"[^"]*"/u, () => `= "${value}"`)
  return lines.join('\n')
}
