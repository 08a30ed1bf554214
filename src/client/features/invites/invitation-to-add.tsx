import { useState } from 'react'
import { flushSync } from 'react-dom'
import { ADD_CONTROLS } from '#client/lib/contributor.ts'
import { Button } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import styles from './invitation-to-add.module.css'

const CHOICES = [
  { control: ADD_CONTROLS.photos, label: 'Photos' },
  { control: ADD_CONTROLS.voice, label: 'A voice message' },
  { control: ADD_CONTROLS.words, label: 'A few words' },
] as const

/** For people with an invitation, below the name: one button that leads to everything they may add. */
export function InvitationToAdd() {
  const [isOpen, setOpen] = useState(false)
  function choose(control: string) {
    // The dialog gives the focus back first.
    flushSync(() => setOpen(false))
    const target = document.getElementById(control)
    target?.scrollIntoView({ block: 'center' })
    target?.focus({ preventScroll: true })
    // Opens the file picker or the recorder.
    if (control !== ADD_CONTROLS.words) target?.click()
  }
  return (
    <div className={styles.invitation}>
      <p>You’re invited to add to this memorial.</p>
      <Button variant="primary" onClick={() => setOpen(true)}>
        Add a photo, a voice message or a few words
      </Button>
      {isOpen && (
        <Dialog title="What would you like to add?" onClose={() => setOpen(false)}>
          <div className={styles.choices}>
            {CHOICES.map(({ control, label }) => (
              <Button key={control} wide onClick={() => choose(control)}>
                {label}
              </Button>
            ))}
          </div>
          <DialogActions>
            <Button variant="quiet" onClick={() => setOpen(false)}>
              Not now
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}
