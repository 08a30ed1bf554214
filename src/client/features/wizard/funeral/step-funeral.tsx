import { useState } from 'react'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { RestoredNotice } from '../conflict-notice.tsx'
import { fieldId, StepForm } from '../step-form.tsx'
import type { Wizard } from '../use-wizard.ts'
import { ProgrammeField } from './programme-field.tsx'
import { ServiceCard } from './service-card.tsx'
import { cardName, cardOf, errorsOf, fieldOf, fullOf, mainCard, type Service } from './services.ts'
import { useServices } from './use-services.ts'
import styles from './service-card.module.css'

/** Step 2: the services of the funeral and later gatherings, each with its printed programme. */
export function StepFuneral({ wizard }: { wizard: Wizard }) {
  const { memorialId } = wizard
  const state = useServices(wizard)
  const { services, events, errors, setErrors } = state
  const [removing, setRemoving] = useState<Service | null>(null)
  const first = mainCard(services)
  const missing = first ? fieldOf(first, 'dateTime') : ''
  const full = fullOf(services)

  async function save() {
    if (await state.save()) wizard.go(3)
  }

  async function remove(service: Service) {
    setRemoving(null)
    focusOn(await state.remove(service))
  }

  const addButton = (later: boolean, label: string) => (
    <Button wide className={styles.add} onClick={() => focusOn(state.add(later))}>
      {label}
    </Button>
  )

  return (
    <>
      <StepForm
        wizard={wizard}
        facts={{ dateTime: first?.dateTime ?? '' }}
        missing={missing}
        isBusy={state.isBusy}
        storedAt={state.storedAt}
        errors={errors}
        onErrors={setErrors}
        labelOf={(field) => cardOf(services, field)}
        onSave={save}
        onMissing={() =>
          setErrors({ fields: { [missing]: funeralMessages.dateTimeRequired }, isInline: true })
        }
      >
        {state.wasRestored && <RestoredNotice onDiscard={state.discard} />}
        {services.map((service) => (
          <ServiceCard
            key={service.key}
            service={service}
            name={cardName(service, services)}
            full={full}
            errors={errorsOf(service, errors?.fields)}
            onChange={(next) => state.change(services.map((card) => (card.key === next.key ? next : card)))}
            onRemove={services.length > 1 || service.id ? () => setRemoving(service) : null}
          >
            <ProgrammeField
              memorialId={memorialId}
              saved={events.find((event) => event.id === service.id)}
              saveService={() => state.ensureSaved(service)}
              onSending={state.track}
              onSaved={state.updateView}
            />
          </ServiceCard>
        ))}
        {full.services ? <p>{funeralMessages.tooManyServices}</p> : addButton(false, 'Add another service')}
        {full.later ? <p>{funeralMessages.tooManyLater}</p> : addButton(true, 'Add a later gathering')}
      </StepForm>
      {removing && (
        <ConfirmDialog
          title={`Remove ${cardName(removing, services)}?`}
          confirmLabel="Remove it"
          onConfirm={() => void remove(removing)}
          onClose={() => setRemoving(null)}
        >
          <p>
            Its time, place and programme are removed from the memorial
            {removing.takesReplies && ', and so is who replied'}. They cannot be brought back.
          </p>
          {removing.id !== null && !removing.isCancelled && (
            <p>
              If it doesn’t take place, tick “This gathering is cancelled” instead: it stays on the page,
              marked as cancelled, so that nobody sets out.
            </p>
          )}
        </ConfirmDialog>
      )}
    </>
  )
}

/** Moves the focus to the first field of a card: the pressed button may be gone. */
function focusOn(service: Service | null): void {
  if (service) document.getElementById(fieldId(fieldOf(service, 'kind')))?.focus()
}
