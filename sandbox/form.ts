/** A value of a parsed form body: text, or named (or numbered) values. */
type FormValue = string | FormObject
export type FormObject = { [name: string]: FormValue }

/**
 * Parses Stripe's form encoding: `metadata[order]=1`, `expand[0]=latest_charge`, `expand[]=latest_charge`,
 * `payment_method_data[card][number]=4242…`. Lists become objects with numbered names.
 * Source: https://docs.stripe.com/api (request bodies are form-encoded).
 */
export function parseForm(body: string | URLSearchParams): FormObject {
  const result = emptyObject()
  for (const [name, value] of new URLSearchParams(body)) {
    const path = splitName(name)
    let target = result
    path.forEach((part, index) => {
      const key = part === '' ? String(Object.keys(target).length) : part
      if (index === path.length - 1) {
        target[key] = value
        return
      }
      const inner = target[key]
      const next = typeof inner === 'object' ? inner : emptyObject()
      target[key] = next
      target = next
    })
  }
  return result
}

/** The text at a path such as `('card', 'number')`, or undefined. */
export function textAt(form: FormObject, ...path: string[]): string | undefined {
  let value: FormValue | undefined = form
  for (const part of path) value = typeof value === 'object' ? value[part] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The named values under `name`, or null. */
export function objectAt(form: FormObject, name: string): FormObject | null {
  const value = form[name]
  return typeof value === 'object' ? value : null
}

/** The strings of a list (`expand[0]`, `expand[]`) or of a single value. */
export function listAt(form: FormObject, name: string): string[] {
  const value = form[name]
  if (value === undefined) return []
  const values = typeof value === 'string' ? [value] : Object.values(value)
  return values.filter((item) => typeof item === 'string')
}

/** A string that is equal for equal values, independent of their order. */
export function canonicalForm(form: FormObject): string {
  return JSON.stringify(sortValue(form))
}

function sortValue(value: FormValue): unknown {
  if (typeof value === 'string') return value
  return Object.keys(value)
    .toSorted()
    .map((name) => [name, sortValue(value[name] ?? '')])
}

function splitName(name: string): string[] {
  const start = name.indexOf('[')
  if (start <= 0 || !name.endsWith(']')) return [name]
  return [name.slice(0, start), ...name.slice(start + 1, -1).split('][')]
}

// Names are untrusted: an object without a prototype has no `__proto__` to overwrite.
function emptyObject(): FormObject {
  return Object.create(null) as FormObject
}
