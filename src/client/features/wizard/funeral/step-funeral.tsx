import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { api } from '#shared/api.ts'
import { funeralEventInput, type FuneralEvent } from '#shared/funeral.ts'
import { FUNERAL_EVENTS_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { showErrorToast, showFailure } from '#client/lib/toast-store.ts'
import { inputErrors } from '#client/lib/input-errors.ts'
import type { FieldErrors } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { RestoredNotice } from '../conflict-notice.tsx'
import { failStep, fieldId, StepForm, type StepErrors } from '../step-form.tsx'
import { useDraft } from '../use-draft.ts'
import type { Wizard } from '../use-wizard.ts'
import { ProgrammeField } from './programme-field.tsx'
import { ServiceCard } from './service-card.tsx'
import {
  cardOf,
  inputOf,
  isBlank,
  isServices,
  isUnchanged,
  newService,
  servicesOf,
  type Service,
} from './services.ts'

/** Step 2: up to four services, each with its printed programme. */
export function StepFuneral({ wizard }: { wizard: Wizard }) {
  const { userId, memorialId } = wizard
  const [events, setEvents] = useState(wizard.view?.funeralEvents ?? [])
  const grave = wizard.view?.location ?? null
  const draft = useDraft({ userId, memorialId, step: 2 }, servicesOf(events, grave), isServices)
  const [errors, setErrors] = useState<StepErrors | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [removing, setRemoving] = useState<Service | null>(null)
  const { services } = draft.values
  /** The latest state: an upload can end in a later render than the one that started it. */
  const latest = useRef({ events, services })
  /** Running programme uploads, including the saving of their service. Leaving the step waits for all of them. */
  const programmes = useRef(new Set<Promise<boolean>>())

  function track(sending: Promise<boolean>) {
    programmes.current.add(sending)
    void sending.then(() => programmes.current.delete(sending))
  }

  const indexOf = ({ key }: Service) => latest.current.services.findIndex((card) => card.key === key)

  function change(next: Service[]) {
    latest.current.services = next
    draft.change({ services: next })
  }

  /** Updates the cached view with the saved services, sorted by time. */
  function showSaved(next: FuneralEvent[]) {
    const sorted = next.toSorted((a, b) => a.dateTime.localeCompare(b.dateTime))
    latest.current.events = sorted
    setEvents(sorted)
    wizard.changed((view) => ({ ...view, funeralEvents: sorted, funeralEvent: sorted[0] ?? null }))
  }

  const updateView = (saved: FuneralEvent) =>
    showSaved([...latest.current.events.filter(({ id }) => id !== saved.id), saved])

  /** Saves one service: an existing one by its id, the very first through PUT, others as new. */
  async function write(id: string, service: Service, isFirst: boolean): Promise<FuneralEvent> {
    const body = inputOf(service)
    if (service.id) return call(api.updateFuneralEvent, { params: { id, eventId: service.id }, body })
    return call(isFirst ? api.saveFuneral : api.addFuneralEvent, { params: { id }, body })
  }

  /** Shows the server's errors on the card that they belong to. */
  function showErrors(error: unknown, service: Service, isFirst: boolean) {
    const isAdded = service.id === null && !isFirst
    const fallback = isAdded ? messages.funeral.createFailed : messages.funeral.saveFailed
    const failed = failStep(messages.memorial.updateFailedTitle, error, fallback)
    setErrors({ ...failed, fields: ofCard(failed.fields, indexOf(service)) })
  }

  /** Saves these services in sequence; those already saved stay saved when a later one fails. */
  async function send(batch: Service[]): Promise<FuneralEvent[] | null> {
    const id = wizard.requireMemorial()
    if (!id) return null
    for (const service of batch) {
      const isFirst = latest.current.events.length === 0
      try {
        const saved = await write(id, service, isFirst)
        updateView(saved)
        change(
          latest.current.services.map((card) =>
            card.key === service.key ? { ...card, id: saved.id } : card,
          ),
        )
      } catch (error) {
        showErrors(error, service, isFirst)
        return null
      }
    }
    return latest.current.events
  }

  /** `text` is the title of the summary. */
  function check(batch: Service[], text?: string): boolean {
    const fields: FieldErrors = {}
    for (const service of batch) {
      const found = inputErrors(funeralEventInput, inputOf(service))
      Object.assign(fields, ofCard(found, indexOf(service)))
    }
    const isValid = Object.keys(fields).length === 0
    setErrors(isValid ? null : { fields, ...(text && { text }) })
    return isValid
  }

  function unsaved(): Service[] {
    const { events: saved, services: cards } = latest.current
    return cards.filter(
      (service, index) =>
        (index === 0 || !isBlank(service)) &&
        !isUnchanged(
          service,
          saved.find((event) => event.id === service.id),
        ),
    )
  }

  async function save() {
    if (!check(unsaved())) return
    setBusy(true)
    // A programme upload saves its service first; saving it here as well would create it twice.
    const results = await Promise.all(programmes.current)
    const saved = await send(unsaved())
    setBusy(false)
    if (!saved || results.includes(false)) return
    draft.clear()
    wizard.go(3)
  }

  /** Saves one service, because a programme belongs to a saved one. */
  async function ensureSaved(service: Service) {
    if (!memorialId) {
      showErrorToast(messages.wizard.saveFirstTitle, messages.wizard.setupIncompleteText)
      return null
    }
    if (service.id) return { memorialId, eventId: service.id }
    if (!check([service], messages.funeral.addServiceFirst)) return null
    if (!(await send([service]))) return null
    const eventId = latest.current.services[indexOf(service)]?.id
    return eventId ? { memorialId, eventId } : null
  }

  function discard() {
    const saved = servicesOf(events, grave)
    latest.current.services = saved.services
    draft.clear(saved)
  }

  async function remove(service: Service) {
    setRemoving(null)
    if (memorialId && service.id) {
      try {
        await call(api.deleteFuneralEvent, { params: { id: memorialId, eventId: service.id } })
      } catch (error) {
        showFailure(messages.media.deleteFailedTitle, error, messages.funeral.saveFailed)
        return
      }
      showSaved(latest.current.events.filter((event) => event.id !== service.id))
    }
    const index = indexOf(service)
    const rest = latest.current.services.filter((card) => card.key !== service.key)
    flushSync(() => change(rest.length > 0 ? rest : [newService(undefined, grave)]))
    // The pressed button is gone: the service that took its place gets the focus.
    document.getElementById(fieldId(`${Math.max(0, Math.min(index, rest.length - 1))}.title`))?.focus()
  }

  return (
    <>
      <StepForm
        wizard={wizard}
        facts={{ dateTime: services[0]?.dateTime ?? '' }}
        missing="0.dateTime"
        isBusy={isBusy}
        storedAt={draft.storedAt}
        errors={errors}
        onErrors={setErrors}
        labelOf={(field) => cardOf(services, field)}
        onSave={save}
        onMissing={() =>
          setErrors({ fields: { '0.dateTime': messages.funeral.dateTimeRequired }, isInline: true })
        }
      >
        {draft.wasRestored && <RestoredNotice onDiscard={discard} />}
        {services.map((service, index) => (
          <ServiceCard
            key={service.key}
            service={service}
            index={index}
            errors={errorsOf(errors, index)}
            onChange={(next) => change(services.map((card) => (card.key === next.key ? next : card)))}
            onRemove={services.length > 1 || service.id ? () => setRemoving(service) : null}
          >
            <ProgrammeField
              memorialId={memorialId}
              saved={events.find((event) => event.id === service.id)}
              saveService={() => ensureSaved(service)}
              onSending={track}
              onSaved={updateView}
            />
          </ServiceCard>
        ))}
        {services.length < FUNERAL_EVENTS_MAX ? (
          <Button
            onClick={() => {
              flushSync(() => change([...services, newService(services.at(-1))]))
              document.getElementById(fieldId(`${services.length}.title`))?.focus()
            }}
          >
            Add another service
          </Button>
        ) : (
          <p>{messages.funeral.tooManyServices}</p>
        )}
      </StepForm>
      {removing && (
        <ConfirmDialog
          title={`Remove ${removing.title.trim() || 'this service'}?`}
          confirmLabel="Remove the service"
          onConfirm={() => void remove(removing)}
          onClose={() => setRemoving(null)}
        >
          <p>Its time, place and programme are removed from the memorial. They cannot be brought back.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

/** The errors of one service, with field names that include the card's index. */
function ofCard(fields: FieldErrors, index: number): FieldErrors {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [`${index}.${name}`, text]))
}

/** The errors of one card, keyed by its own field names. */
function errorsOf(errors: StepErrors | null, index: number): FieldErrors {
  const prefix = `${index}.`
  return Object.fromEntries(
    Object.entries(errors?.fields ?? {})
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, message]) => [name.slice(prefix.length), message]),
  )
}
