import { useRef, useState } from 'react'
import { api } from '#shared/api.ts'
import { MEMORIAL_TITLE_MAX } from '#shared/limits.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { filesChosen, messages } from '#shared/messages.ts'
import { call, pathOf } from '#client/lib/call.ts'
import { announce, showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { TextAreaField, TextField } from '#client/ui/forms/field.tsx'
import { basicsErrors, basicsOf, inputOf, isBasics, type Basics } from './basics.ts'
import { ConflictNotice, RestoredNotice } from './conflict-notice.tsx'
import { DateBoxes } from './date-boxes.tsx'
import { PortraitPicker } from './media/portrait-picker.tsx'
import { useSingleUpload } from './media/use-single-upload.ts'
import { EditedElsewhere, saveMemorial } from './save-memorial.ts'
import { failStep, fieldId, StepForm, type StepErrors } from './step-form.tsx'
import { useDraft } from './use-draft.ts'
import type { Wizard } from './use-wizard.ts'

/** A message about a date fits both. */
const DATE_LABELS: Partial<Record<string, string>> = { dateOfBirth: 'Born', dateOfDeath: 'Died' }

/** Step 1: the honouree. Saving creates or updates the memorial. */
export function StepBasics({ wizard, onPreview }: { wizard: Wizard; onPreview: (basics: Basics) => void }) {
  const { memorialId, view } = wizard
  const draft = useDraft({ userId: wizard.userId, memorialId, step: 1 }, basicsOf(view?.memorial), isBasics)
  const [base, setBase] = useState<Memorial | null>(view?.memorial ?? null)
  const [newest, setNewest] = useState<Memorial | null>(null)
  const [errors, setErrors] = useState<StepErrors | null>(null)
  const [isBusy, setBusy] = useState(false)
  const portrait = useSingleUpload<MediaUploaded>(messages.system.internal)
  /** The portrait that was chosen last, for Next, which may be pressed while it's still being checked: seconds on a cheap phone. */
  const waiting = useRef<Promise<File | null>>(null)
  const { values } = draft
  // A retry after a lost response finds the memorial already created, so one payment is used once.
  const creation = useRef(crypto.randomUUID())

  function change(part: Partial<Basics>) {
    draft.change({ ...values, ...part })
    onPreview({ ...values, ...part })
  }

  function show(memorial: Memorial) {
    setBase(memorial)
    setNewest(null)
    draft.clear(basicsOf(memorial))
    onPreview(basicsOf(memorial))
  }

  async function sendPortrait(id: string, file: File): Promise<boolean> {
    const path = pathOf(api.uploadProfileImage, { params: { id } })
    const response = await portrait.send({ path, file })
    if (!response) return false
    // Saving the portrait changed the memorial's version; the next step must save against that one.
    const fresh = await call(api.memorial, { params: { id } }).catch(() => null)
    wizard.changed(fresh ? () => fresh : withProfile(response.id), id)
    return true
  }

  /** Uploads the portrait at once if the memorial exists, otherwise when the user presses Next. */
  async function choosePortrait(checked: Promise<File | null>) {
    waiting.current = memorialId ? null : checked
    const file = await checked
    if (!file) {
      if (waiting.current === checked) waiting.current = null
    } else if (!memorialId) {
      portrait.setFile(file)
      announce(filesChosen(['IMAGE']))
    } else if (await sendPortrait(memorialId, file)) showToast({ title: messages.media.uploadSuccessTitle })
  }

  async function write(): Promise<string> {
    if (!base) {
      const created = await call(api.createMemorial, {
        body: inputOf(values),
        headers: { 'Idempotency-Key': creation.current },
      })
      const isUnchanged = JSON.stringify(basicsOf(created)) === JSON.stringify(values)
      const memorial = isUnchanged ? created : await saveMemorial(created, inputOf(values))
      draft.clear()
      setBase(memorial)
      wizard.created(memorial)
      showToast({ title: messages.memorial.createdTitle })
      return memorial.id
    }
    const memorial = await saveMemorial(base, inputOf(values))
    draft.clear()
    setBase(memorial)
    wizard.changed((old) => ({ ...old, memorial }))
    showToast({ title: messages.memorial.updatedTitle })
    return memorial.id
  }

  async function save() {
    const fields = basicsErrors(values)
    setErrors(Object.keys(fields).length > 0 ? { fields } : null)
    if (Object.keys(fields).length > 0) return
    setBusy(true)
    try {
      // If it's refused, the picker says so, and the user chooses again.
      if (waiting.current && !(await waiting.current)) return
      const id = await write()
      const { upload } = portrait
      const file = (await waiting.current) ?? (upload?.state === 'sending' ? null : upload?.file)
      if (file && !(await sendPortrait(id, file))) {
        showErrorToast(messages.media.uploadFailedTitle, messages.wizard.portraitNotSaved)
        return
      }
      wizard.go(2, id)
    } catch (error) {
      showError(error)
    } finally {
      setBusy(false)
    }
  }

  function showError(error: unknown) {
    if (error instanceof EditedElsewhere) {
      setNewest(error.newest)
      return
    }
    const isNew = base === null
    const { createFailedTitle, createFailedText, updateFailedTitle, updateFailedText } = messages.memorial
    setErrors(
      isNew
        ? failStep(createFailedTitle, error, createFailedText)
        : failStep(updateFailedTitle, error, updateFailedText),
    )
  }

  return (
    <StepForm
      wizard={wizard}
      facts={{ honoureeFullName: values.honoureeFullName }}
      missing="honoureeFullName"
      isBusy={isBusy}
      storedAt={draft.storedAt}
      errors={errors}
      // Every later step needs the name.
      {...(!base && { skipLabel: null })}
      onErrors={setErrors}
      labelOf={(field) => DATE_LABELS[field]}
      onSave={save}
      onMissing={() =>
        setErrors({ fields: { honoureeFullName: messages.memorial.nameRequired }, isInline: true })
      }
    >
      {draft.wasRestored && !newest && (
        <RestoredNotice
          onDiscard={() => {
            draft.clear(basicsOf(base))
            onPreview(basicsOf(base))
          }}
        />
      )}
      {newest && (
        <ConflictNotice
          onUseNewest={() => show(newest)}
          onKeepMine={() => {
            setBase(newest)
            setNewest(null)
          }}
        />
      )}
      <TextField
        id={fieldId('honoureeFullName')}
        label="Full name"
        hint="The full name of the person who died."
        autoComplete="off"
        error={errors?.fields['honoureeFullName']}
        value={values.honoureeFullName}
        onChange={(event) => change({ honoureeFullName: event.target.value })}
      />
      <TextAreaField
        id={fieldId('title')}
        label="One sentence about them"
        hint="For example: She taught half of Mutare to read."
        optional
        rows={2}
        max={MEMORIAL_TITLE_MAX}
        error={errors?.fields['title']}
        value={values.title}
        onChange={(event) => change({ title: event.target.value.replaceAll(/[\r\n]+/gu, ' ') })}
      />
      <DateBoxes
        name="dateOfBirth"
        legend="Born"
        value={values.born}
        error={errors?.fields['dateOfBirth']}
        onChange={(born) => change({ born })}
      />
      <DateBoxes
        name="dateOfDeath"
        legend="Died"
        value={values.died}
        error={errors?.fields['dateOfDeath']}
        onChange={(died) => change({ died })}
      />
      <PortraitPicker
        profileMediaId={view?.memorial.profileMediaId ?? null}
        upload={portrait.upload}
        onChosen={(checked) => void choosePortrait(checked)}
        onRemove={() => {
          waiting.current = null
          portrait.remove()
        }}
      />
    </StepForm>
  )
}

function withProfile(profileMediaId: string) {
  return <V extends { memorial: Memorial }>(view: V): V => ({
    ...view,
    memorial: { ...view.memorial, profileMediaId },
  })
}
