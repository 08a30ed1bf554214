/** What ends each stretch in which a semicolon means nothing. */
const ENDS: Record<string, string> = { "'": "'", '"': '"', '`': '`', '--': '\n', '/*': '*/' }

/**
 * Cuts an SQL text into its statements, without their last semicolons, however it is cut into chunks: strings, names in
 * quotes and comments may hold semicolons, and a trigger ends with `END` after its last statement.
 */
export async function* splitStatements(
  chunks: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  let text = ''
  let at = 0
  let inside: string | null = null
  for await (const chunk of chunks) {
    text += chunk
    // The last character waits for the next chunk: it may be the first half of two.
    while (at < text.length - 1) {
      const two = text.slice(at, at + 2)
      const one = text.charAt(at)
      if (inside !== null) {
        const isOver = inside.length === 2 ? two === inside : one === inside
        at += isOver ? inside.length : 1
        if (isOver) inside = null
        continue
      }
      const opening = two === '--' || two === '/*' ? two : one
      const end = ENDS[opening]
      if (end !== undefined) {
        inside = end
        at += opening.length
      } else if (one === ';' && isWhole(text.slice(0, at))) {
        const statement = text.slice(0, at).trim()
        text = text.slice(at + 1)
        at = 0
        if (statement) yield statement
      } else at++
    }
  }
  const last = text.trim().replace(/;$/u, '').trim()
  if (last) yield last
}

function isWhole(text: string): boolean {
  return !/^\s*CREATE\s+(?:TEMP\s+|TEMPORARY\s+)?TRIGGER\b/iu.test(text) || /;\s*END\s*$/iu.test(text)
}
