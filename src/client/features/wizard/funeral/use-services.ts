import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { api } from '#shared/api.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { withAllFields } from '#shared/funeral/gatherings.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { showErrorToast, showFailure } from '#client/lib/toast-store.ts'
import type { FieldErrors } from '#client/lib/use-form.ts'
import { failStep, type StepErrors } from '../step-form.tsx'
import { useDraft } from '../use-draft.ts'
import type { Wizard } from '../use-wizard.ts'
import { completed, isServices, type DraftServices } from './service-draft.ts'
import {
  cardErrors,
  inputOf,
  isBlank,
  isUnchanged,
  mainCard,
  newService,
  problemsOf,
  servicesOf,
  withNew,
  type Service,
} from './services.ts'

/** A gathering that was saved: as it was before, null if it's new, and as it is now. */
type SavedService = { before: FuneralEvent | null; after: FuneralEvent }

/** The gatherings of a memorial while they are edited, and what saves them. */
export function useServices(wizard: Wizard) {
  const { userId, memorialId } = wizard
  const [events, setEvents] = useState(() => withAllFields(wizard.view?.funeralEvents ?? []))
  const grave = wizard.view?.location ?? null
  const draft = useDraft<DraftServices>(
    { userId, memorialId, step: 2 },
    servicesOf(events, grave),
    isServices,
  )
  const [errors, setErrors] = useState<StepErrors | null>(null)
  const [isBusy, setBusy] = useState(false)
  const services = completed(draft.values, events)
  /** The latest state: an upload can end in a later render than the one that started it. */
  const latest = useRef({ events, services })
  /** Running programme uploads, including the saving of their service. Leaving the step waits for all of them. */
  const programmes = useRef(new Set<Promise<boolean>>())

  function track(sending: Promise<boolean>) {
    programmes.current.add(sending)
    void sending.then(() => programmes.current.delete(sending))
  }

  const eventOf = ({ id }: Service) => latest.current.events.find((event) => event.id === id)

  function change(next: Service[]) {
    latest.current.services = next
    draft.change({ services: next })
  }

  /** Updates the cached view with the saved gatherings, sorted by time. */
  function showSaved(next: FuneralEvent[]) {
    const sorted = next.toSorted((a, b) => a.dateTime.localeCompare(b.dateTime))
    latest.current.events = sorted
    setEvents(sorted)
    wizard.changed((view) => ({ ...view, funeralEvents: sorted, funeralEvent: sorted[0] ?? null }))
  }

  const updateView = (saved: FuneralEvent) =>
    showSaved([...latest.current.events.filter(({ id }) => id !== saved.id), saved])

  /** Saves one gathering: an existing one by its id, the very first through PUT, others as new. */
  async function write(id: string, service: Service, isFirst: boolean): Promise<FuneralEvent> {
    const body = inputOf(service)
    if (service.id) return call(api.updateFuneralEvent, { params: { id, eventId: service.id }, body })
    return call(isFirst ? api.saveFuneral : api.addFuneralEvent, { params: { id }, body })
  }

  /** Shows the server's errors on the card that they belong to. */
  function showErrors(error: unknown, service: Service, isFirst: boolean) {
    const isAdded = service.id === null && !isFirst
    const fallback = isAdded ? funeralMessages.createFailed : funeralMessages.saveFailed
    const failed = failStep(messages.memorial.updateFailedTitle, error, fallback)
    setErrors({ ...failed, fields: cardErrors(service, failed.fields) })
  }

  /** Saves these gatherings in sequence; those already saved stay saved when a later one fails. */
  async function send(batch: Service[]): Promise<SavedService[] | null> {
    const id = wizard.requireMemorial()
    if (!id) return null
    const sent: SavedService[] = []
    for (const service of batch) {
      const isFirst = latest.current.events.length === 0
      try {
        const before = eventOf(service) ?? null
        const after = await write(id, service, isFirst)
        updateView(after)
        change(
          latest.current.services.map((card) =>
            card.key === service.key ? { ...card, id: after.id } : card,
          ),
        )
        sent.push({ before, after })
      } catch (error) {
        showErrors(error, service, isFirst)
        return null
      }
    }
    return sent
  }

  /** `text` is the title of the summary. */
  function check(batch: Service[], text?: string): boolean {
    const fields: FieldErrors = Object.assign({}, ...batch.map(problemsOf))
    const isValid = Object.keys(fields).length === 0
    setErrors(isValid ? null : { fields, ...(text && { text }) })
    return isValid
  }

  /** Saved ones first: one that became a later gathering leaves its place to a new service. */
  function unsaved(): Service[] {
    const main = mainCard(latest.current.services)
    return latest.current.services
      .filter((service) => (service === main || !isBlank(service)) && !isUnchanged(service, eventOf(service)))
      .toSorted((a, b) => Number(a.id === null) - Number(b.id === null))
  }

  /** Saves what changed. Null if something couldn't be saved; the errors say why. */
  async function save(): Promise<SavedService[] | null> {
    if (!check(unsaved())) return null
    setBusy(true)
    // A programme upload saves its service first; saving it here as well would create it twice.
    const results = await Promise.all(programmes.current)
    const saved = await send(unsaved())
    setBusy(false)
    if (!saved || results.includes(false)) return null
    draft.clear()
    return saved
  }

  /** Saves one gathering, because a programme belongs to a saved one. */
  async function ensureSaved(service: Service) {
    if (!memorialId) {
      showErrorToast(messages.wizard.saveFirstTitle, messages.wizard.setupIncompleteText)
      return null
    }
    if (service.id) return { memorialId, eventId: service.id }
    if (!check([service], funeralMessages.addServiceFirst)) return null
    const saved = await send([service])
    return saved?.[0] ? { memorialId, eventId: saved[0].after.id } : null
  }

  function discard() {
    const saved = servicesOf(events, grave)
    latest.current.services = saved.services
    draft.clear(saved)
  }

  /** Adds an empty card, of a service or of a later gathering. Returns it when it's on the screen. */
  function add(later: boolean): Service {
    const { services: next, added } = withNew(latest.current.services, later)
    flushSync(() => change(next))
    return added
  }

  /** Removes a gathering for good. Returns the card that takes its place, or null if it couldn't be removed. */
  async function remove(service: Service): Promise<Service | null> {
    if (memorialId && service.id) {
      try {
        await call(api.deleteFuneralEvent, { params: { id: memorialId, eventId: service.id } })
      } catch (error) {
        showFailure(messages.media.deleteFailedTitle, error, funeralMessages.saveFailed)
        return null
      }
      showSaved(latest.current.events.filter((event) => event.id !== service.id))
    }
    const index = latest.current.services.findIndex(({ key }) => key === service.key)
    const rest = latest.current.services.filter(({ key }) => key !== service.key)
    const left = rest.length > 0 ? rest : [newService(undefined, grave)]
    flushSync(() => change(left))
    return left[Math.min(index, left.length - 1)] ?? null
  }

  return {
    services,
    events,
    storedAt: draft.storedAt,
    wasRestored: draft.wasRestored,
    errors,
    setErrors,
    isBusy,
    change,
    add,
    remove,
    discard,
    save,
    ensureSaved,
    track,
    updateView,
  }
}
