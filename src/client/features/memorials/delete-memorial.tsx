import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useNavigate } from 'react-router-dom'
import { api } from '#shared/api.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { call, errorFields, errorText } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { DownloadEverything } from './download-everything.tsx'
import styles from './delete-memorial.module.css'

/** At the end of the page: the owner can download everything, or delete the memorial. */
export function DeleteMemorial({ memorial }: { memorial: Memorial }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <div className={`row ${styles.delete}`}>
      <DownloadEverything memorial={memorial} />
      <Button variant="quiet" onClick={() => setAsking(true)}>
        Delete this memorial
      </Button>
      {isAsking && <DeleteDialog memorial={memorial} onClose={() => setAsking(false)} />}
    </div>
  )
}

function DeleteDialog({ memorial, onClose }: { memorial: Memorial; onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [confirmName, setConfirmName] = useState('')
  const remove = useMutation({
    mutationFn: () => call(api.deleteMemorial, { params: { id: memorial.id }, body: { confirmName } }),
    onSuccess({ message }) {
      void navigate(links.dashboard)
      // Remove everything cached about the memorial; the lists are fetched again.
      client.removeQueries({
        predicate: ({ queryKey: [key] }) =>
          [memorial.id, memorial.slug].some((name) => String(key).includes(name)),
      })
      void client.invalidateQueries({ queryKey: [api.dashboard.path] })
      void client.invalidateQueries({ queryKey: [api.deletedMemorials.path] })
      showToast({ title: message })
    },
  })
  const name = memorial.honoureeFullName
  const problem = remove.error && errorText(remove.error, messages.system.internal)
  const nameProblem = errorFields(remove.error)['confirmName']
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!remove.isPending) remove.mutate()
  }
  return (
    <Dialog title={`Delete the memorial for ${name}?`} onClose={onClose}>
      <p>
        Nobody will see it: no photos, no messages, and the QR code on the gravestone will stop working. You
        can bring it back, as it was, within 30 days. After that it is gone for good. The fee is not refunded.
      </p>
      <p>If you want to keep a copy, close this and choose “Download everything” first.</p>
      {problem && !nameProblem && (
        <Notice kind="error" title={messages.memorial.notDeletedTitle} takesFocus>
          <p>{problem}</p>
        </Notice>
      )}
      <form noValidate onSubmit={submit}>
        <TextField
          label={`Type the full name to confirm: ${name}`}
          autoComplete="off"
          value={confirmName}
          error={nameProblem}
          onChange={(event) => {
            setConfirmName(event.target.value)
            remove.reset()
          }}
        />
        <DialogActions>
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" variant="danger" disabled={remove.isPending}>
            Delete memorial
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
