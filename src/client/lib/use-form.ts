import { useState, type FormEvent } from 'react'
import { errorFields, errorText } from '#client/lib/call.ts'
import type { FieldErrors } from '#client/lib/form-errors.ts'

export type Problem = { text: string; fields: FieldErrors }
export type FormState = {
  problem: Problem | null
  busy: boolean
  onSubmit: (event: FormEvent) => void
}

/**
 * State of a short form: `check` validates before sending (null: no problem), `send` makes the call, `fallback` is
 * shown if a failure has no message. The inputs keep their values.
 */
export function useForm(options: {
  check: () => Problem | null
  send: () => Promise<void>
  fallback: string
}): FormState {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [busy, setBusy] = useState(false)

  async function submit(): Promise<void> {
    const found = options.check()
    setProblem(found)
    if (found || busy) return
    setBusy(true)
    try {
      await options.send()
    } catch (error) {
      setProblem({ text: errorText(error, options.fallback), fields: errorFields(error) })
    } finally {
      setBusy(false)
    }
  }
  return {
    problem,
    busy,
    onSubmit(event) {
      event.preventDefault()
      void submit()
    },
  }
}
