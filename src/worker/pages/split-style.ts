/** Top-level rules of a style sheet that belong together. `modules`: the hashes in the class names of the CSS modules that they style. */
export type StylePart = { css: string; modules: readonly string[] }

/** The names that Vite gives to classes and animations of a CSS module: its own name, the module's hash, a line. */
const MODULE = /_[A-Za-z][\w-]*?_([\w-]{5})_\d+/gu

/** Cuts a style sheet before its top-level rules, and joins those in a row that belong to the same modules. */
export function cutStyle(css: string): StylePart[] {
  const parts: { css: string; modules: string[] }[] = []
  for (const rule of topLevelRules(css)) {
    const modules = [...new Set(Array.from(rule.matchAll(MODULE), ([, hash = '']) => hash))]
    const last = parts.at(-1)
    if (last && last.modules.join() === modules.join()) last.css += rule
    else parts.push({ css: rule, modules })
  }
  return parts
}

/**
 * What a page needs to be painted, and what it only needs once a script shows more: rules of modules that nothing in its HTML
 * is of. Both in their order.
 */
export function splitStyle(parts: readonly StylePart[], html: string): { first: string; late: string } {
  const split = { first: '', late: '' }
  for (const { css, modules } of parts) {
    const isNeeded = modules.length === 0 || modules.some((hash) => html.includes(`_${hash}_`))
    split[isNeeded ? 'first' : 'late'] += css
  }
  return split
}

function* topLevelRules(css: string): Generator<string> {
  let depth = 0
  let start = 0
  let quote: string | null = null
  for (let at = 0; at < css.length; at++) {
    const char = css.charAt(at)
    if (char === '\\') at++
    else if (quote !== null) quote = char === quote ? null : quote
    else if (char === '"' || char === "'") quote = char
    else if (char === '{') depth++
    else if (char === '}') depth--
    if (depth > 0 || quote !== null || (char !== '}' && char !== ';')) continue
    yield css.slice(start, at + 1)
    start = at + 1
  }
  if (css.slice(start).trim() !== '') yield css.slice(start)
}
