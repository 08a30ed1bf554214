/** A value of a form body after its brackets are read: text, or named (or numbered) values. */
export type FormValue = string | FormObject
export type FormObject = { [name: string]: FormValue }

/**
 * Reads Stripe's form encoding: `metadata[order]=1`, `expand[0]=latest_charge`, `expand[]=latest_charge`,
 * `payment_method_data[card][number]=4242…`. Lists come out as objects with numbered names.
 * Source: https://docs.stripe.com/api (request bodies are form-encoded).
 */
export function parseForm(body: string | URLSearchParams): FormObject {
  const result = emptyObject()
  for (const [name, value] of new URLSearchParams(body)) {
    const path = splitName(name)
    let place = result
    path.forEach((part, index) => {
      const key = part === '' ? String(Object.keys(place).length) : part
      if (index === path.length - 1) {
        place[key] = value
        return
      }
      const inner = place[key]
      const next = typeof inner === 'object' ? inner : emptyObject()
      place[key] = next
      place = next
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

/** The named values at a path, or null when it holds none. */
export function objectAt(form: FormObject, name: string): FormObject | null {
  const value = form[name]
  return typeof value === 'object' ? value : null
}

/** The texts of a list (`expand[0]`, `expand[]`) or of one plain value. */
export function listAt(form: FormObject, name: string): string[] {
  const value = form[name]
  if (value === undefined) return []
  const values = typeof value === 'string' ? [value] : Object.values(value)
  return values.filter((item) => typeof item === 'string')
}

/** The same text for the same values, in whatever order they were sent. */
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

// Names come from outside: an object without a prototype has no `__proto__` to reach.
function emptyObject(): FormObject {
  return Object.create(null) as FormObject
}
