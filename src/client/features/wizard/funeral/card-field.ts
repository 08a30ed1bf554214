import type { FieldErrors } from '#client/lib/use-form.ts'
import { fieldId } from '../step-form.tsx'
import { fieldOf, type Service } from './services.ts'

/** The fields that are an input or a select. */
export type TextName = {
  [Name in keyof Service]: Service[Name] extends string ? Name : never
}[Exclude<keyof Service, 'key' | 'id'>]

/** What the parts of a card share. */
export type CardProps = {
  service: Service
  /** By field name. */
  errors: FieldErrors
  change: <Name extends keyof Service>(name: Name, value: Service[Name]) => void
}

/** The properties of one field's input. */
export function inputProps({ service, errors, change }: CardProps, name: TextName) {
  return {
    id: fieldId(fieldOf(service, name)),
    error: errors[name],
    value: service[name],
    onChange: ({ target }: { target: { value: string } }) => change(name, target.value),
  }
}
