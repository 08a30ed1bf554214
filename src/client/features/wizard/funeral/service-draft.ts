import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { AUDIENCES, CONTACT_FOR, GATHERING_KINDS } from '#shared/funeral/gatherings.ts'
import { hasTexts } from '../use-draft.ts'
import { newService, serviceOf, type Service } from './services.ts'

const isText = (value: unknown) => typeof value === 'string'
const isFlag = (value: unknown) => typeof value === 'boolean'
const isOneOf = (choices: readonly unknown[]) => (value: unknown) => choices.includes(value)

/** What drafts of the first version have. */
const FIRST = [
  'key',
  'title',
  'dateTime',
  'timeZone',
  'venueName',
  'addressLine',
  'city',
  'region',
  'country',
  'postalCode',
  'notes',
] as const
type First = (typeof FIRST)[number] | 'id'

/** What came later. */
const LATER: Record<Exclude<keyof Service, First>, (value: unknown) => boolean> = {
  kind: isOneOf(['', ...GATHERING_KINDS]),
  endDateTime: isText,
  wayThere: isText,
  pin: isText,
  dress: isText,
  bring: isText,
  contact: isText,
  contactFor: isOneOf(CONTACT_FOR),
  audience: isOneOf(AUDIENCES),
  streamUrl: isText,
  recordingUrl: isText,
  isCancelled: isFlag,
  takesReplies: isFlag,
  capacity: isText,
  repliesUntil: isText,
  keepReplies: isFlag,
}

/** A card as a draft on this device has it: of this version, or of the first. */
type DraftService = Pick<Service, First> & Partial<Service>
export type DraftServices = { services: DraftService[] }

/** Whether a draft read from this device has the shape of {@link DraftServices}. */
export function isServices(values: unknown): values is DraftServices {
  const services = (values as { services?: unknown } | null)?.services
  return Array.isArray(services) && services.length > 0 && services.every(isDraftService)
}

function isDraftService(value: unknown): value is DraftService {
  if (!hasTexts(value, FIRST)) return false
  const service = value as Record<string, unknown>
  const hasId = service['id'] === null || isText(service['id'])
  return (
    hasId &&
    Object.entries(LATER).every(([name, isRight]) => service[name] === undefined || isRight(service[name]))
  )
}

/** Fills in what a draft of the first version lacks: from the saved gathering, or as on a new card. */
export function completed({ services }: DraftServices, events: readonly FuneralEvent[]): Service[] {
  return services.map((draft) => {
    const saved = events.find(({ id }) => id === draft.id)
    const kind = draft.title.trim() === '' ? '' : 'OTHER'
    return { ...(saved ? serviceOf(saved) : { ...newService(), kind }), ...draft }
  })
}
