import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { ExportPlan } from '#shared/export.ts'
import { formatBytes, messages } from '#shared/messages.ts'
import { pathOf } from '#client/lib/call.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { Notice, LoadError } from '#client/ui/notice.tsx'

/** Downloads everything in a memorial; also works for a deleted memorial that can still be restored. */
export function DownloadEverything({ memorial }: { memorial: { id: string; honoureeFullName: string } }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="quiet" onClick={() => setOpen(true)}>
        Download everything<span className="visually-hidden">: {memorial.honoureeFullName}</span>
      </Button>
      {isOpen && <DownloadDialog memorialId={memorial.id} onClose={() => setOpen(false)} />}
    </>
  )
}

function DownloadDialog({ memorialId, onClose }: { memorialId: string; onClose: () => void }) {
  const params = { id: memorialId }
  // Fetched again each time the dialog opens, because the memorial may have changed.
  const plan = useQuery({ ...endpointQuery(api.exportPlan, { params }), staleTime: 0, gcTime: 0 })
  // The time of the part downloaded first: all parts must be from the same time.
  const [started, setStarted] = useState<string | null>(null)
  const whole = pathOf(api.memorialExport, { params })
  function noteStarted(state: string) {
    setStarted(state)
    void plan.refetch()
  }
  return (
    <Dialog title="Download everything" onClose={onClose}>
      <p>
        A copy for you to keep: all photos, videos and recordings in full size, the life story, the messages
        and the funeral details.
      </p>
      <p>
        It is a ZIP file. Unpack it on a computer and open <b>index.html</b>: the memorial can then be read
        without the internet.
      </p>
      <p>
        Original photos can show when and where they were taken. Keep that in mind before you share the copy.
      </p>
      {plan.isPending && <p role="status">Checking the size…</p>}
      {plan.isError && (
        <LoadError
          title={messages.export.failedTitle}
          error={plan.error}
          onRetry={() => void plan.refetch()}
        />
      )}
      {plan.data && (
        <>
          <p>{sizeOf(plan.data)}</p>
          {started !== null && started !== plan.data.state && (
            <Notice kind="warning">
              <p>{messages.export.changed}</p>
            </Notice>
          )}
          {plan.data.parts.length > 1 && (
            <Parts
              plan={plan.data}
              urlOf={(query) => pathOf(api.memorialExport, { params, query })}
              onStarted={noteStarted}
            />
          )}
        </>
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {plan.data?.mayBeWhole && (
          <ButtonAnchor variant="primary" href={whole} download>
            {plan.data.parts.length > 1 ? 'Download in one file' : 'Download'}
          </ButtonAnchor>
        )}
      </DialogActions>
    </Dialog>
  )
}

function Parts({
  plan,
  urlOf,
  onStarted,
}: {
  plan: ExportPlan
  urlOf: (query: { part: string; state: string }) => string
  onStarted: (state: string) => void
}) {
  return (
    <>
      <p>
        {plan.mayBeWhole
          ? 'Or take it in parts: if the line breaks, only that part begins again.'
          : messages.export.tooLarge}{' '}
        Unpack all parts into the same folder.
      </p>
      <ol className="row">
        {plan.parts.map(({ part, bytes }) => (
          <li key={part}>
            <ButtonAnchor
              href={urlOf({ part: String(part), state: plan.state })}
              download
              onClick={() => onStarted(plan.state)}
            >
              Part {part} ({formatBytes(bytes)})
            </ButtonAnchor>
          </li>
        ))}
      </ol>
    </>
  )
}

function sizeOf({ files, bytes }: ExportPlan): string {
  if (files === 0) return 'There are no photos or recordings in it yet. It is small.'
  const count = files === 1 ? '1 file' : `${files} files`
  return `${count}, about ${formatBytes(bytes)}. The download uses as much data, and on a slow connection this may take a while.`
}
