import type { Command, EditorState } from 'prosemirror-state'
import { useState } from 'react'
import { Button } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { isInLink, removeLink, setLink, STORY_ACTIONS } from './story-commands.ts'
import { isLinkAddress } from './story-schema.ts'
import styles from './story-editor.module.css'

/** Changes nothing; the editor takes the focus back, with its selection. */
const keep: Command = () => true

export function StoryToolbar({ state, run }: { state: EditorState | null; run: (command: Command) => void }) {
  const [isLinking, setLinking] = useState(false)
  function closeForm(command: Command) {
    setLinking(false)
    run(command)
  }
  const inLink = state ? isInLink(state) : false
  return (
    <div className={styles.tools}>
      <div role="toolbar" aria-label="Text style" className={`row ${styles.toolbar}`}>
        {STORY_ACTIONS.map((action) => (
          <button
            key={action.label}
            type="button"
            className={styles.tool}
            aria-pressed={action.isOn && state ? action.isOn(state) : undefined}
            // Keep the editor's selection while a button is pressed.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => run(action.run)}
          >
            {action.label}
          </button>
        ))}
        <button
          type="button"
          className={styles.tool}
          aria-pressed={inLink}
          aria-expanded={isLinking}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => (inLink ? run(removeLink) : setLinking(!isLinking))}
        >
          Link
        </button>
      </div>
      {isLinking && <LinkForm onLink={(href) => closeForm(setLink(href))} onClose={() => closeForm(keep)} />}
    </div>
  )
}

/** Asks for the link's address. Not a form, because it is inside the step's form. */
function LinkForm({ onLink, onClose }: { onLink: (href: string) => void; onClose: () => void }) {
  const [address, setAddress] = useState('')
  const [isInvalid, setInvalid] = useState(false)
  function add() {
    const href = address.includes(':') ? address.trim() : `https://${address.trim()}`
    if (isLinkAddress(href) && URL.canParse(href)) onLink(href)
    else setInvalid(true)
  }
  return (
    <div className={styles.linkForm}>
      <TextField
        label="Address of the link"
        type="url"
        // eslint-disable-next-line jsx-a11y/no-autofocus -- the button that opens this asks for it
        autoFocus
        autoCapitalize="none"
        error={isInvalid ? 'Please enter a web address, such as https://example.org' : undefined}
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            add()
          }
          if (event.key === 'Escape') onClose()
        }}
      />
      <div className={styles.linkButtons}>
        <Button onClick={add}>Add the link</Button>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  )
}
