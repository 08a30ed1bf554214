import type { Privacy } from '#shared/memorials/memorials.ts'

/** The six steps, numbered 0 to 5. */
export const STEPS = [
  { title: 'Payment', about: 'Memorial creation fee' },
  { title: 'Basic Information', about: 'Memorial details and cover' },
  { title: 'Funeral Service Details', about: 'Services and programme' },
  { title: 'Memorial Location', about: 'Burial site and QR code' },
  { title: 'Life Story & Media', about: 'Biography and memories' },
  { title: 'Privacy & Sharing', about: 'Who can see it' },
] as const

export const LAST_STEP = STEPS.length - 1

/** The values that decide whether a step is complete. */
export type StepFacts = {
  honoureeFullName?: string
  dateTime?: string
  latitude?: string
  longitude?: string
  /** Life story as plain text. */
  lifeStory?: string
  privacy?: Privacy
}

const present = (value: string | undefined) => value !== undefined && value.trim() !== ''

/** Whether a step is complete. Payment never is: a successful payment moves on by itself. */
export function isStepComplete(step: number, facts: StepFacts): boolean {
  switch (step) {
    case 0:
      return false
    case 1:
      return present(facts.honoureeFullName)
    case 2:
      return present(facts.dateTime)
    case 3:
      return present(facts.latitude) && present(facts.longitude)
    case 4:
      return present(facts.lifeStory)
    case 5:
      return facts.privacy !== undefined && facts.privacy !== 'PRIVATE'
    default:
      return step > LAST_STEP
  }
}

/** The step named in the URL, or `fallback`. */
export function stepFrom(value: string | null, fallback: number): number {
  return value !== null && /^[0-5]$/u.test(value) ? Number(value) : fallback
}
