import { lazy, Suspense, useRef, useState, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import { FILES_FORM, WORDS_FORM } from '#shared/pages/plain-forms.ts'
import { ADD_CONTROLS, type Contributor } from '#client/lib/contributor.ts'
import { isPending } from '#client/lib/upload/upload-item.ts'
import { uploadListFor } from '#client/lib/upload/upload-list.ts'
import { Button } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { againPath } from './again-path.ts'
import styles from './invitation-to-add.module.css'

/** Loaded with the first upload. Without a connection the line is missing; the files' own rows stand in the gallery. */
const UploadTotal = lazy(async () => {
  const loaded = await import('#client/ui/media/upload-total.tsx').catch(() => null)
  return { default: loaded?.UploadTotal ?? (() => null) }
})

const CHOICES = [
  { control: ADD_CONTROLS.photos, label: 'Photos' },
  { control: ADD_CONTROLS.voice, label: 'A voice message' },
  { control: ADD_CONTROLS.words, label: 'A few words' },
] as const

type InvitationProps = { memorialId: string; contributor: Contributor }

/** For people with an invitation, below the name: one button that leads to everything they may add, and what is being sent. */
export function InvitationToAdd({ memorialId, contributor }: InvitationProps) {
  const store = uploadListFor(memorialId)
  const uploads = useSyncExternalStore(store.subscribe, store.items, store.items)
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const { formerName } = contributor
  const addButton = useRef<HTMLButtonElement>(null)
  async function continueAsBefore(): Promise<void> {
    const author = await contributor.identify()
    // The pressed button disappears with the dialog.
    if (author) setTimeout(() => addButton.current?.focus())
  }
  return (
    <div className={styles.invitation}>
      {formerName !== null && (
        <>
          <p>
            You were here as <bdi>{formerName}</bdi>. Use that name again to pick up what you had not sent
            yet.
          </p>
          <Button wide onClick={() => void continueAsBefore()}>
            Continue as <bdi>{formerName}</bdi>
          </Button>
        </>
      )}
      <p>You’re invited to add to this memorial.</p>
      <Button ref={addButton} variant="primary" onClick={() => setOpen(true)}>
        Add a photo, a voice message or a few words
      </Button>
      <p className="tall-links">
        <a href={againPath(memorialId, contributor.invite)}>
          {contributor.displayName === null ? 'I’ve added something before' : 'If you change phones'}
        </a>
      </p>
      <noscript>
        <p className="row tall-links">
          <a href={`#${FILES_FORM}`}>Photos, a video or a recording</a>
          <a href={`#${WORDS_FORM}`}>A few words</a>
        </p>
      </noscript>
      {uploads.some(isPending) && (
        <Suspense>
          <UploadTotal items={uploads.filter(({ state }) => state !== 'failed')} />
        </Suspense>
      )}
      {isOpen && (
        <Dialog title="What would you like to add?" onClose={close}>
          <div className={styles.choices}>
            {CHOICES.map(({ control, label }) => (
              <Button key={control} wide onClick={() => goTo(control, close)}>
                {label}
              </Button>
            ))}
          </div>
          <DialogActions>
            <Button variant="quiet" onClick={close}>
              Not now
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}

function goTo(id: string, close: () => void) {
  // The forms come with this part of the page.
  const control = document.getElementById(id)
  if (!control) return
  // The dialog gives the focus back first.
  flushSync(close)
  control.scrollIntoView({ block: 'center' })
  control.focus({ preventScroll: true })
  // Opens the file picker or the recorder.
  if (control.id !== ADD_CONTROLS.words) control.click()
}
