import { useState } from 'react'
import { api } from '#shared/api.ts'
import { locationInput, type MemorialLocation } from '#shared/memorials/location.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { inputErrors } from '#client/lib/input-errors.ts'
import type { FieldErrors } from '#client/lib/use-form.ts'
import { TextField } from '#client/ui/forms/field.tsx'
import { RestoredNotice } from '../conflict-notice.tsx'
import { MemorialCheckbox } from '../memorial-checkbox.tsx'
import { failStep, fieldId, StepForm, type StepErrors } from '../step-form.tsx'
import { isStepComplete } from '../steps.ts'
import { useDraft, hasTexts } from '../use-draft.ts'
import type { Wizard } from '../use-wizard.ts'
import { MapLinkField, PlaceOnMap } from './map-link-field.tsx'
import { onlyDegrees } from './map-link.ts'
import { PhonePosition } from './phone-position.tsx'
import { QrCard } from './qr-card.tsx'
import shared from '../wizard.module.css'
import styles from './step-location.module.css'

/** Step 3: where the grave is (three ways to enter it), and the QR code for the gravestone. */
export function StepLocation({ wizard }: { wizard: Wizard }) {
  const { memorialId, view } = wizard
  const draft = useDraft({ userId: wizard.userId, memorialId, step: 3 }, placeOf(view?.location), isPlace)
  const [errors, setErrors] = useState<StepErrors | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [link, setLink] = useState('')
  const { values } = draft
  const isEmpty = values.latitude.trim() === '' && values.longitude.trim() === ''
  const change = (part: Partial<Place>) => draft.change({ ...values, ...part })
  /** A position that was found replaces the typed values and clears their errors. */
  function find(part: Partial<Place>) {
    setErrors(null)
    change(part)
  }

  async function save() {
    const fields = inputErrors(locationInput, values)
    setErrors(Object.keys(fields).length > 0 ? { fields } : null)
    if (Object.keys(fields).length > 0) return
    const id = wizard.requireMemorial()
    if (!id) return
    setBusy(true)
    try {
      const location = await call(api.saveLocation, { params: { id }, body: values })
      draft.clear()
      wizard.changed((old) => ({ ...old, location }))
      wizard.go(4)
    } catch (error) {
      setErrors(failStep(messages.location.failedTitle, error, messages.location.failedText))
    } finally {
      setBusy(false)
    }
  }

  return (
    <StepForm
      wizard={wizard}
      facts={values}
      missing={isEmpty ? 'ways' : values.latitude.trim() === '' ? 'latitude' : 'longitude'}
      isBusy={isBusy}
      storedAt={draft.storedAt}
      errors={errors}
      onErrors={setErrors}
      onSave={save}
      onMissing={() =>
        setErrors({
          fields: isEmpty ? { ways: messages.location.chooseWay } : missingOf(values),
          isInline: true,
        })
      }
    >
      {draft.wasRestored && <RestoredNotice onDiscard={() => draft.clear(placeOf(view?.location))} />}
      {isEmpty && (
        <p
          id={fieldId('ways')}
          tabIndex={-1}
          className={errors?.fields['ways'] ? 'error-text' : 'small-muted'}
        >
          {messages.location.chooseWay}
        </p>
      )}
      <PhonePosition onFound={find} />
      <div className={styles.way}>
        <MapLinkField
          label="Paste a map link"
          value={link}
          onChange={(pasted, found) => {
            setLink(pasted)
            if (found) find(found)
          }}
        />
      </div>
      <Coordinates values={values} errors={errors} onChange={change} />
      <TextField
        id={fieldId('label')}
        label="Name of the place"
        hint="For example: Yeovil Cemetery, row 14, beside the jacaranda"
        optional
        error={errors?.fields['label']}
        value={values.label}
        onChange={(event) => change({ label: event.target.value })}
      />
      <MemorialCheckbox
        wizard={wizard}
        name="showLocation"
        label="Show the grave’s location to everyone who can see this memorial"
        hint="If not, only you will see it."
      />
      <QrCard wizard={wizard} />
    </StepForm>
  )
}

/** The missing parts of the position, as field errors. */
function missingOf(place: Place): FieldErrors {
  return {
    ...(place.latitude.trim() === '' && { latitude: messages.location.latitudeInvalid }),
    ...(place.longitude.trim() === '' && { longitude: messages.location.longitudeInvalid }),
  }
}

function Coordinates({
  values,
  errors,
  onChange,
}: {
  values: Place
  errors: StepErrors | null
  onChange: (part: Partial<Place>) => void
}) {
  const isWhole = isStepComplete(3, values) && Object.keys(inputErrors(locationInput, values)).length === 0
  return (
    <fieldset>
      <legend className={shared.legend}>Type coordinates</legend>
      <div className={styles.pair}>
        {(['latitude', 'longitude'] as const).map((name) => (
          <TextField
            key={name}
            id={fieldId(name)}
            label={name === 'latitude' ? 'Latitude' : 'Longitude'}
            inputMode="text"
            autoComplete="off"
            placeholder={name === 'latitude' ? '-17.825200' : '31.033500'}
            error={errors?.fields[name]}
            value={values[name]}
            onChange={(event) => onChange({ [name]: onlyDegrees(event.target.value) })}
          />
        ))}
      </div>
      {isWhole && <PlaceOnMap {...values} />}
    </fieldset>
  )
}

/** Form values of step 3. */
type Place = { label: string; latitude: string; longitude: string }

/** Form values of a saved location; empty values if there is none. */
function placeOf(location: MemorialLocation | null | undefined): Place {
  return {
    label: location?.label ?? '',
    latitude: location ? String(location.latitude) : '',
    longitude: location ? String(location.longitude) : '',
  }
}

/** Whether a draft read from this device has the shape of {@link Place}. */
function isPlace(values: unknown): values is Place {
  return hasTexts(values, ['label', 'latitude', 'longitude'])
}
