import { lazy, Suspense, useState } from 'react'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { Button } from '#client/ui/button.tsx'

const AnnouncementDialog = lazy(async () => ({
  default: (await import('./announcement-dialog.tsx')).AnnouncementDialog,
}))

/** Opens the announcement as a picture and as text, to be forwarded. `invite`: authorises it while there is no session. */
export function AnnouncementButton({ memorial, invite }: { memorial: Memorial; invite?: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>A card to forward</Button>
      {isOpen && (
        <Suspense>
          <AnnouncementDialog memorial={memorial} invite={invite} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
