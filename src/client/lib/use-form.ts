import { useLayoutEffect, useState, type FormEvent } from 'react'
import { messages } from '#shared/messages.ts'
import { problemOf, type TextRule } from '#shared/text-rules.ts'
import { errorFields, errorText } from '#client/lib/call.ts'
import { usePostedForm } from '#client/lib/server-rendering.ts'

/** Messages by field name; a nested field has a dotted path. */
export type FieldErrors = Record<string, string>

export type Problem = { text: string; fields: FieldErrors }

/** The problem of values that break a rule, or null. Without `text`, the first field's message is shown. */
export function checkFields(
  rules: Readonly<Record<string, TextRule>>,
  values: Record<string, string>,
  text?: string,
): Problem | null {
  const found = Object.entries(rules).flatMap(([name, rule]) => {
    const problem = problemOf(rule, values[name] ?? '')
    return problem === null ? [] : [[name, problem] as const]
  })
  const [first] = found
  return first === undefined ? null : { text: text ?? first[1], fields: Object.fromEntries(found) }
}

/** The problem of values of which one is empty, or null. */
export function checkFilled(
  values: Record<string, string>,
  text: string = messages.form.fillAll,
): Problem | null {
  const empty = Object.keys(values).filter((name) => values[name] === '')
  const messageOf = (name: string) => MISSING[name] ?? text
  return empty.length === 0
    ? null
    : { text, fields: Object.fromEntries(empty.map((name) => [name, messageOf(name)])) }
}

const MISSING: Partial<Record<string, string>> = messages.form.missing

/**
 * The errors shown, without those that a change of the fields `changed` has mended; the same object if it mended none.
 * `before` and `after` are what the form's own check finds with the old and the new values. An error that only the server
 * knows goes away with the first change of its field.
 */
export function mendErrors(
  shown: FieldErrors,
  changed: readonly string[],
  before: FieldErrors = {},
  after: FieldErrors = {},
): FieldErrors {
  const entries = Object.entries(shown)
  const left = entries.filter(
    ([name]) => after[name] !== undefined || (!changed.includes(name) && before[name] === undefined),
  )
  return left.length === entries.length ? shown : Object.fromEntries(left)
}

/** The problem with only these errors of fields; null if it had some and none is left. */
function withFields(problem: Problem, fields: FieldErrors): Problem | null {
  if (fields === problem.fields) return problem
  if (Object.keys(fields).length === 0) return null
  // Without its own text, the problem showed the message of its first field.
  const isOfField = Object.values(problem.fields).includes(problem.text)
  return { text: isOfField ? messages.form.checkFields : problem.text, fields }
}

/** What the inputs of a form hold, by field, where that differs from `values`. */
function typedInto<Values extends Record<string, string>>(form: string, values: Values): Partial<Values> {
  const typed = Object.keys(values).flatMap((field) => {
    const input = document.getElementById(`${form}-${field}`)
    return input && 'value' in input && input.value !== values[field] ? [[field, input.value] as const] : []
  })
  return Object.fromEntries(typed) as Partial<Values>
}

export type FormState = {
  name: string
  problem: Problem | null
  busy: boolean
  onSubmit: (event: FormEvent) => void
}

/**
 * State of a short form with text fields. `check` validates before sending (null: no problem), `send` makes the call,
 * `fallback` is shown if a failure has no message. The inputs keep their values until `send` calls `reset`.
 */
export function useForm<Values extends Record<string, string>>(options: {
  name: string
  initial: Values
  check: (values: Values) => Problem | null
  send: (values: Values, reset: () => void) => Promise<void>
  fallback: string
}) {
  const { name, initial, check, send, fallback } = options
  const posted = usePostedForm(name)
  const [values, setValues] = useState<Values>({ ...initial, ...posted?.values })
  const [problem, setProblem] = useState<Problem | null>(posted?.problem ?? null)
  const [busy, setBusy] = useState(false)
  // What was typed into the server's HTML before React came. Otherwise the inputs hold what they were rendered with.
  useLayoutEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- the inputs are the external system, and only here are they there
    setValues((rendered) => {
      const typed = typedInto(name, rendered)
      return Object.keys(typed).length === 0 ? rendered : { ...rendered, ...typed }
    })
  }, [name])

  async function submit(): Promise<void> {
    const found = check(values)
    setProblem(found)
    if (found || busy) return
    setBusy(true)
    try {
      await send(values, () => setValues(initial))
    } catch (error) {
      setProblem({ text: errorText(error, fallback), fields: errorFields(error) })
    } finally {
      setBusy(false)
    }
  }
  const form: FormState = {
    name,
    problem,
    busy,
    onSubmit(event) {
      event.preventDefault()
      void submit()
    },
  }
  return {
    form,
    values,
    /** The properties of one field's input. */
    field: (fieldName: keyof Values & string) => ({
      id: `${name}-${fieldName}`,
      name: fieldName,
      value: values[fieldName],
      error: problem?.fields[fieldName],
      onChange(event: { target: { value: string } }) {
        const next = { ...values, [fieldName]: event.target.value }
        setValues(next)
        if (!problem) return
        const [before, after] = [check(values)?.fields, check(next)?.fields]
        setProblem(withFields(problem, mendErrors(problem.fields, [fieldName], before, after)))
      },
    }),
  }
}
